// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/memory_root.hpp>

#include <map>
#include <string>

namespace gpuadapt {

/// Name and bytes of the plain files in a recording.
using Members = std::map<std::string, std::string>;

/// The layout that recording.hpp describes.
[[nodiscard]] Members write_members(const Answers& answers);

/// Throws Error(input) that names `file` and the member at fault.
[[nodiscard]] Answers read_members(Members members, const std::string& file);

}  // namespace gpuadapt

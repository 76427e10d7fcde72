// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <string>

namespace gpuadapt::report {

/// Unread::reason, which records and recordings keep in English, in both languages. What the system or a tool said
/// passes unchanged.
[[nodiscard]] Message unread_reason(const std::string& reason);

}  // namespace gpuadapt::report

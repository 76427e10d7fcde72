// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <string>

namespace gpuadapt::cli {

/// What CLI11 (its ParseError::what()) says of a command line, in the words of this program and in both languages.
/// Words that are not known pass unchanged.
[[nodiscard]] Message usage_mistake(const std::string& what);

}  // namespace gpuadapt::cli

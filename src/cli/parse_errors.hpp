// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <string>
#include <string_view>

namespace gpuadapt::cli {

/// What our validator of empty values says; usage_mistake() knows it.
inline constexpr std::string_view kEmptyValue = "the value is empty";

/// What CLI11 (its ParseError::what()) says of a command line, in the words of this program and in both languages.
/// Words that are not known pass unchanged.
[[nodiscard]] Message usage_mistake(const std::string& what);

}  // namespace gpuadapt::cli

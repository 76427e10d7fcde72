// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gpuadapt::report {

/// `text` for an attribute or the content of an element: the characters that XML 1.0 allows, & < > " ' as entities.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace gpuadapt::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gpuadapt::report {

/// `text` for an attribute or the content of an element: UTF-8 without control characters, & < > " ' as entities.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace gpuadapt::report

// SPDX-License-Identifier: Apache-2.0
#include "report/xml.hpp"

#include <gpuadapt/core/text.hpp>

namespace gpuadapt::report {

std::string xml_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : clean_utf8(text)) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

}  // namespace gpuadapt::report

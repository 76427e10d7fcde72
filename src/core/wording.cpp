// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/wording.hpp>

#include <regex>

namespace gpuadapt {

std::optional<Message> reworded(const std::string& text, std::span<const Wording> wordings) {
    constexpr std::size_t kLongest = 4096;
    if (text.size() > kLongest)
        return std::nullopt;
    for (const Wording& wording : wordings) {
        const std::regex said(wording.said);
        if (std::regex_match(text, said))
            return Message{wording.en == nullptr ? text : std::regex_replace(text, said, wording.en),
                           std::regex_replace(text, said, wording.zh)};
    }
    return std::nullopt;
}

}  // namespace gpuadapt

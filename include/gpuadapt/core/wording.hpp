// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuadapt {

/// A text that somebody else wrote in one language, and how we say it: `said` is a regular expression (ECMAScript) for
/// the whole of it, and "$1" in the others is what its first group took. No `en`: it can stay as it is.
struct Wording {
    const char* said;
    const char* en;
    const char* zh;
};

/// By the first of `wordings` that fits; nullopt when none does, and for texts of more than 4096 bytes, which cost a
/// regular expression too much.
[[nodiscard]] std::optional<Message> reworded(const std::string& text, std::span<const Wording> wordings);

}  // namespace gpuadapt

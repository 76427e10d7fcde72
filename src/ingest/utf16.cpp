// SPDX-License-Identifier: Apache-2.0
#include "ingest/utf16.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gpuadapt::ingest {

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

bool is_surrogate(std::uint32_t unit) {
    return unit >= 0xd800 && unit < 0xe000;
}

bool is_high(std::uint32_t unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}

}  // namespace

std::optional<Utf16Form> utf16_form(std::string_view start) {
    if (start.starts_with("\xff\xfe"))
        return Utf16Form{false, 2};
    if (start.starts_with("\xfe\xff"))
        return Utf16Form{true, 2};
    constexpr std::size_t kFewest = 8;
    const std::string_view sample = start.substr(0, kUtf16Sample);
    std::array<std::size_t, 2> zeros{};  // at even and at odd places
    for (std::size_t at = 0; at < sample.size(); ++at)
        zeros[at % 2] += sample[at] == '\0' ? 1 : 0;
    const auto [few, many] = std::minmax(zeros[0], zeros[1]);
    // Some of the text may be Chinese: a quarter of the characters must be ASCII. Of the others some have a zero byte
    // at the other place.
    const bool told = sample.size() >= kFewest && 8 * many >= sample.size() && 8 * few <= many;
    return told ? std::optional(Utf16Form{zeros[0] == many, 0}) : std::nullopt;
}

void Utf16Decoder::decode(std::string_view bytes, std::string& text) {
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (!first_) {
            first_ = byte;
            continue;
        }
        const std::uint32_t low = big_endian_ ? byte : *first_;
        const std::uint32_t high = big_endian_ ? *first_ : byte;
        first_.reset();
        take_unit(high << 8 | low, text);
    }
}

void Utf16Decoder::take_unit(std::uint32_t unit, std::string& text) {
    const std::uint32_t high = std::exchange(high_, 0);
    if (high != 0 && is_surrogate(unit) && !is_high(unit)) {
        append_utf8(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00), text);
        return;
    }
    if (high != 0)
        append_utf8(kReplacement, text);
    if (is_high(unit))
        high_ = unit;
    else
        append_utf8(is_surrogate(unit) ? kReplacement : unit, text);
}

void append_utf8(std::uint32_t code, std::string& text) {
    const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
        add(code);
        return;
    }
    if (code < 0x800) {
        add(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        add(0xe0 | code >> 12);
        add(0x80 | (code >> 6 & 0x3f));
    } else {
        add(0xf0 | code >> 18);
        add(0x80 | (code >> 12 & 0x3f));
        add(0x80 | (code >> 6 & 0x3f));
    }
    add(0x80 | (code & 0x3f));
}

}  // namespace gpuadapt::ingest

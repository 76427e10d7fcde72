// SPDX-License-Identifier: Apache-2.0
#include "driver/management_calls.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace gpuadapt {

std::vector<Unread> Calls::notes() const {
    std::vector<Unread> notes;
    for (const auto& [reason, calls] : calls_by_reason_) {
        const std::string more = calls.size() > 1 ? fmt::format(" and {} more", calls.size() - 1) : "";
        notes.push_back({subject_, fmt::format("{} ({}{})", reason, calls.front(), more)});
    }
    return notes;
}

void Calls::announce(const char* symbol) const {
    if (sink_.calling)
        sink_.calling(fmt::format("{}, {}", symbol, subject_));
}

void Calls::note(const char* symbol, std::uint32_t result) {
    if (result == 0)
        return;
    CallFailure failure = explain_(library_, result);
    if (failure.absent)
        return;
    std::vector<std::string>& calls = calls_by_reason_[failure.reason];
    if (std::find(calls.begin(), calls.end(), symbol) == calls.end())
        calls.emplace_back(symbol);
}

Machine unplaced_device(const Calls& calls, const std::string& subject) {
    Machine facts;
    facts.unread = calls.notes();
    if (facts.unread.empty())
        facts.unread.push_back({subject, "the library does not tell its PCI address"});
    return facts;
}

std::optional<std::string> buffer_text(const char* buffer, std::size_t size) {
    std::string_view text(buffer, size);
    text = trim(text.substr(0, text.find('\0')));
    return text.empty() ? std::nullopt : std::optional(clean_utf8(text));
}

std::vector<std::string> bit_names(std::uint64_t mask, std::initializer_list<NamedBit> names) {
    std::vector<std::string> result;
    for (const NamedBit& row : names) {
        if ((mask & row.bit) != 0)
            result.emplace_back(row.name);
        mask &= ~row.bit;
    }
    if (mask != 0)
        result.push_back(fmt::format("{:#x}", mask));
    return result;
}

}  // namespace gpuadapt

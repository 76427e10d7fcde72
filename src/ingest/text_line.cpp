// SPDX-License-Identifier: Apache-2.0
#include "ingest/text_line.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <charconv>
#include <vector>

namespace gpuadapt::ingest {

bool is_hex_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::optional<int> whole_number(std::string_view text, std::int64_t least, std::int64_t most) {
    const auto value = parse_integer(text);
    return value && *value >= least && *value <= most ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<int> hex_number(std::string_view digits, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || value < 0 || value > most)
        return std::nullopt;
    return static_cast<int>(value);
}

std::optional<std::pair<std::string_view, std::string_view>> key_and_value(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const std::string_view key = trim(line.substr(0, colon));
    if (key.empty())
        return std::nullopt;
    return std::pair{key, trim(line.substr(colon + 1))};
}

std::optional<std::string_view> between(std::string_view line, std::string_view open, std::string_view close) {
    const std::size_t start = line.find(open);
    if (start == std::string_view::npos)
        return std::nullopt;
    line.remove_prefix(start + open.size());
    const std::size_t end = line.find(close);
    return end == std::string_view::npos ? std::nullopt : std::optional(line.substr(0, end));
}

bool is_pci_address(std::string_view text) {
    constexpr std::string_view kForm = "xxxx:xx:xx.d";
    constexpr std::size_t kMoreDigits = 4;  // of the domain
    if (text.size() < kForm.size() || text.size() > kForm.size() + kMoreDigits)
        return false;
    for (; text.size() > kForm.size(); text.remove_prefix(1))
        if (!is_hex_digit(text[0]))
            return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool fits = kForm[i] == 'x'   ? is_hex_digit(text[i])
                          : kForm[i] == 'd' ? text[i] >= '0' && text[i] <= '7'
                                            : text[i] == kForm[i];
        if (!fits)
            return false;
    }
    return true;
}

void put_in_list(std::string& list, std::size_t size, std::size_t index, std::string_view value) {
    std::vector<std::string> entries(size, "-");
    std::string_view rest = list;
    for (std::size_t i = 0; i < size && !rest.empty(); ++i) {
        const std::size_t comma = rest.find(',');
        entries[i] = rest.substr(0, comma);
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    if (index < size)
        entries[index] = value;
    list.clear();
    for (const std::string& entry : entries)
        list += (list.empty() ? "" : ",") + entry;
}

}  // namespace gpuadapt::ingest

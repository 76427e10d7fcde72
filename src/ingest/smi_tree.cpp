// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_tree.hpp"

#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kLongestPath = 256;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

char small(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// "title/title/" of the titles that are open.
struct Titles {
    struct Title {
        std::size_t indentation;
        std::string word;
    };
    std::vector<Title> open;

    /// Closes those that are not above a line with this indentation.
    void close(std::size_t indentation) {
        while (!open.empty() && open.back().indentation >= indentation)
            open.pop_back();
    }
    [[nodiscard]] std::string path(std::string_view key) const {
        std::string result;
        for (const Title& title : open)
            result += title.word + "/";
        return result + path_word(key);
    }
};

struct Pair {
    std::string_view key, value;
};

/// "Key   : value"; a ':' inside a word or a time is none.
std::optional<Pair> pair_in(std::string_view line) {
    const std::size_t colon = line.find(" : ");
    if (colon != std::string_view::npos)
        return Pair{trim(line.substr(0, colon)), trim(line.substr(colon + 3))};
    if (line.ends_with(" :"))
        return Pair{trim(line.substr(0, line.size() - 2)), {}};
    return std::nullopt;
}

/// "GPU#0  MXC500  ...", "GPU 00000000:06:00.0": a device begins.
bool begins_device(std::string_view line) {
    return line.starts_with("GPU") && line.size() > 4 && (line[3] == '#' || line[3] == ' ') &&
           (pci_address_in(line) || line[3] == '#') && !pair_in(line);
}

}  // namespace

std::string path_word(std::string_view text) {
    std::string word;
    for (const char c : text) {
        if (word.size() == kLongestWord)
            break;
        if (is_letter_or_digit(c))
            word += small(c);
        else if (!word.empty() && word.back() != '_')
            word += '_';
    }
    while (word.ends_with('_'))
        word.pop_back();
    return word;
}

void add_value(std::vector<SmiValue>& values, std::string path, std::string_view value) {
    if (path.size() <= kLongestPath)
        values.push_back({std::move(path), std::string(value)});
}

SmiTree read_smi_blocks(std::string_view text) {
    SmiTree tree;
    Titles titles;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const std::string_view content = trim(line);
        if (content.empty())
            continue;
        const auto indentation = static_cast<std::size_t>(content.data() - line.data());
        titles.close(indentation);
        if (indentation == 0 && begins_device(content)) {
            tree.devices.push_back({std::string(content), {}});
            continue;
        }
        if (const auto pair = pair_in(content)) {
            // What is not indented belongs to the machine, also behind a device.
            const bool of_device = indentation > 0 && !tree.devices.empty();
            std::vector<SmiValue>& values = of_device ? tree.devices.back().values : tree.values;
            add_value(values, titles.path(pair->key), pair->value);
            // Of a value, lines that stand deeper are details: "Process ID : 17" above "Name : python".
            if (titles.open.size() < kMaxDepth)
                titles.open.push_back({indentation, path_word(pair->key)});
        } else if (indentation > 0 && titles.open.size() < kMaxDepth) {
            titles.open.push_back({indentation, path_word(content)});
        }
    }
    return tree;
}

std::optional<std::string> value_at(const std::vector<SmiValue>& values, std::string_view path) {
    constexpr std::array<std::string_view, 11> kNothing = {
        "",     "N/A",           "[N/A]",           "Not Supported", "[Not Supported]", "None",
        "ERR!", "Unknown Error", "[Unknown Error]", "GPU is lost",   "[GPU is lost]"};
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const SmiValue& value) { return value.path == path; });
    if (found == values.end())
        return std::nullopt;
    std::string value = clean_utf8(trim(found->value));
    const bool nothing = std::find(kNothing.begin(), kNothing.end(), value) != kNothing.end();
    return nothing ? std::nullopt : std::optional(std::move(value));
}

std::optional<double> number_in(std::string_view value) {
    value = trim(value);
    double number = 0;
    const auto end = std::from_chars(value.data(), value.data() + value.size(), number, std::chars_format::fixed);
    return end.ec == std::errc{} && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> bytes_in(std::string_view value) {
    value = trim(value);
    std::int64_t number = 0;
    const auto end = std::from_chars(value.data(), value.data() + value.size(), number);
    if (end.ec != std::errc{} || number < 0)
        return std::nullopt;
    const std::string_view unit = trim(value.substr(static_cast<std::size_t>(end.ptr - value.data())));
    int shift = 0;
    switch (unit.empty() ? 'B' : unit.front()) {
        case 'B':
            break;
        case 'K':
            shift = 10;
            break;
        case 'M':
            shift = 20;
            break;
        case 'G':
            shift = 30;
            break;
        default:
            return std::nullopt;
    }
    return number <= (INT64_MAX >> shift) ? std::optional(number << shift) : std::nullopt;
}

std::optional<bool> switch_in(std::string_view value) {
    const std::string word = path_word(value);
    for (const std::string_view on : {"enabled", "enable", "on", "active", "yes"})
        if (word == on)
            return true;
    for (const std::string_view off : {"disabled", "disable", "off", "not_active", "no"})
        if (word == off)
            return false;
    return std::nullopt;
}

std::optional<std::string> pci_address_in(std::string_view text) {
    // HEX:BB:DD.F where HEX has four to eight digits.
    const auto hex_at = [&](std::size_t at, std::size_t count) {
        return at + count <= text.size() &&
               std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at),
                           text.begin() + static_cast<std::ptrdiff_t>(at + count), is_hex_digit);
    };
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
        std::size_t first = colon;
        while (first > 0 && colon - first < 8 && is_hex_digit(text[first - 1]))
            --first;
        const bool whole = colon - first >= 4 && hex_at(colon + 1, 2) && colon + 8 <= text.size() &&
                           text[colon + 3] == ':' && hex_at(colon + 4, 2) && text[colon + 6] == '.' &&
                           text[colon + 7] >= '0' && text[colon + 7] <= '7';
        if (!whole)
            continue;
        std::string address(text.substr(first, colon + 8 - first));
        std::transform(address.begin(), address.end(), address.begin(), small);
        // Tools of NVIDIA write domains with eight digits, the kernel with at least four.
        while (address.find(':') > 4 && address.front() == '0')
            address.erase(address.begin());
        return address;
    }
    return std::nullopt;
}

}  // namespace gpuadapt::ingest

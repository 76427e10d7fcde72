// SPDX-License-Identifier: Apache-2.0
#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace gpuadapt {

namespace {

constexpr int kHighestCpu = 65535;
constexpr std::int64_t kMostUnits = std::int64_t{1} << 50;  // of 1024 bytes: keeps the product in 63 bits

bool is_hex(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::optional<std::int64_t> scaled(std::string_view number, std::int64_t unit) {
    const auto value = parse_integer(trim(number));
    if (!value || *value < 0 || *value > kMostUnits / (unit / 1024 + 1))
        return std::nullopt;
    return *value * unit;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string single_blanks(std::string_view text) {
    std::string result = clean_utf8(trim(text));
    const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    result.erase(std::unique(result.begin(), result.end(), both_blank), result.end());
    return result;
}

std::optional<std::int64_t> parse_hex(std::string_view text) {
    const auto value = parse_hex64(text);
    if (!value || *value > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

std::optional<std::uint64_t> parse_hex64(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X"))
        text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (!is_hex(text) || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::vector<std::string_view> split_words(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = text.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos)
            return words;
        text.remove_prefix(begin);
        words.push_back(text.substr(0, text.find_first_of(kBlanks)));
        text.remove_prefix(words.back().size());
    }
}

std::optional<int> parse_int(std::string_view text) {
    const auto value = parse_integer(text);
    if (!value || *value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max())
        return std::nullopt;
    return static_cast<int>(*value);
}

std::optional<std::int64_t> parse_count(std::string_view text) {
    const auto value = parse_integer(text);
    return value && *value >= 0 ? value : std::nullopt;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    text = trim(text);
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view part = trim(text.substr(0, comma));
        const std::size_t dash = part.find('-');
        const auto first = parse_int(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_int(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last > kHighestCpu)
            return std::nullopt;
        for (int cpu = *first; cpu <= *last; ++cpu)
            cpus.push_back(cpu);
        if (cpus.size() > static_cast<std::size_t>(kHighestCpu) * 4)  // "0-65535,0-65535,..."
            return std::nullopt;
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    return cpus;
}

std::optional<std::pair<std::string_view, std::string_view>> split_pair(std::string_view line, char separator) {
    const std::size_t place = line.find(separator);
    if (place == std::string_view::npos)
        return std::nullopt;
    return std::pair{trim(line.substr(0, place)), trim(line.substr(place + 1))};
}

std::optional<std::int64_t> parse_kilobytes(std::string_view text) {
    text = trim(text);
    if (!text.ends_with(" kB"))
        return std::nullopt;
    return scaled(text.substr(0, text.size() - 3), 1024);
}

std::optional<std::int64_t> parse_cache_size(std::string_view text) {
    text = trim(text);
    if (text.ends_with('K'))
        return scaled(text.substr(0, text.size() - 1), 1024);
    if (text.ends_with('M'))
        return scaled(text.substr(0, text.size() - 1), std::int64_t{1} << 20);
    return std::nullopt;
}

std::optional<std::string> parse_choice(std::string_view text) {
    const std::size_t begin = text.find('[');
    const std::size_t end = text.find(']', begin == std::string_view::npos ? 0 : begin);
    if (begin == std::string_view::npos || end == std::string_view::npos || end == begin + 1)
        return std::nullopt;
    return clean_utf8(text.substr(begin + 1, end - begin - 1));
}

bool is_pci_address(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon < 4 || colon > 8 || text.size() != colon + 8)
        return false;
    const std::string_view rest = text.substr(colon + 1);  // "3a:00.0"
    return is_hex(text.substr(0, colon)) && is_hex(rest.substr(0, 2)) && rest[2] == ':' && is_hex(rest.substr(3, 2)) &&
           rest[5] == '.' && rest[6] >= '0' && rest[6] <= '7';
}

bool pci_address_less(std::string_view a, std::string_view b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
}

std::optional<std::string> last_pci_address(std::string_view path) {
    while (!path.empty()) {
        const std::string_view name = last_component(path);
        if (is_pci_address(name))
            return std::string(name);
        path.remove_suffix(std::min(path.size(), name.size() + 1));
    }
    return std::nullopt;
}

std::string_view last_component(std::string_view path) {
    return path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
}

std::vector<std::pair<int, std::string>> numbered(const std::vector<std::string>& names, std::string_view prefix) {
    std::vector<std::pair<int, std::string>> result;
    for (const std::string& name : names) {
        if (!name.starts_with(prefix))
            continue;
        const auto number = parse_int(std::string_view(name).substr(prefix.size()));
        if (number && *number >= 0)
            result.emplace_back(*number, name);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::optional<int> read_int(Root& root, const std::string& path) {
    const auto line = root.read_line(path);
    return line ? parse_int(*line) : std::nullopt;
}

void join_distinct(std::optional<std::string>& known, const std::optional<std::string>& text) {
    if (!text)
        return;
    if (!known) {
        known = text;
        return;
    }
    std::string_view rest = *known;
    while (true) {
        const std::size_t slash = rest.find('/');
        if (rest.substr(0, slash) == *text)
            return;
        if (slash == std::string_view::npos)
            break;
        rest.remove_prefix(slash + 1);
    }
    *known += "/" + *text;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/pseudonyms.hpp>
#include <gpuadapt/host/sha256.hpp>

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr std::size_t kShortestWord = 4;
constexpr std::size_t kShortestNumber = 5;
constexpr std::size_t kShortestName = 4;
constexpr std::size_t kMacDigits = 12;
constexpr std::size_t kGuidDigits = 16;
constexpr std::size_t kUuidDigits = 32;
constexpr std::size_t kMakerDigits = 6;

// Not <cctype>: its answers depend on the locale.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_word(char c) {
    return is_digit(c) || is_lower(c) || is_upper(c);
}
bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_separator(char c) {
    return c == ':' || c == '-' || c == '.';
}
char lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string digits_of(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X"))
        text.remove_prefix(2);
    std::string digits;
    for (const char c : text)
        if (is_hex(c))
            digits += lower(c);
    return digits;
}

int value_of(char hex) {
    return is_digit(hex) ? hex - '0' : lower(hex) - 'a' + 10;
}

std::string bytes_of(std::string_view digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(value_of(digits[i]) * 16 + value_of(digits[i + 1]));
    return bytes;
}

/// A run of hexadecimal digits with single separators between them.
struct HexRun {
    std::size_t begin = 0, end = 0;
    std::string digits;               ///< lower case
    std::vector<std::size_t> places;  ///< of each digit in the text
    std::vector<std::size_t> groups;  ///< digits between separators
};

std::optional<HexRun> next_run(std::string_view text, std::size_t from) {
    while (from < text.size() && !is_hex(text[from]))
        ++from;
    if (from == text.size())
        return std::nullopt;
    HexRun run;
    run.begin = from;
    run.groups.push_back(0);
    for (; from < text.size(); ++from) {
        if (is_hex(text[from])) {
            run.digits += lower(text[from]);
            run.places.push_back(from);
            ++run.groups.back();
        } else if (is_separator(text[from]) && from + 1 < text.size() && is_hex(text[from + 1])) {
            run.groups.push_back(0);
        } else {
            break;
        }
    }
    run.end = from;
    return run;
}

/// Hexadecimal identities by the way they are written. An RDMA GID is a subnet prefix, which says nothing, and a GUID.
std::string identity_in(const HexRun& run) {
    using Groups = std::vector<std::size_t>;
    if (run.groups == Groups{2, 2, 2, 2, 2, 2} || run.groups == Groups{8, 4, 4, 4, 12} ||
        run.groups == Groups{4, 4, 4, 4} || run.groups == Groups{2, 2, 2, 2, 2, 2, 2, 2})
        return run.digits;
    if (run.groups == Groups{4, 4, 4, 4, 4, 4, 4, 4} && !run.digits.starts_with("00000000000000000000ffff"))
        return run.digits.substr(kGuidDigits);
    return "";
}

bool is_plain(std::string_view digits) {
    return digits.size() < kMacDigits || digits.find_first_not_of(digits[0]) == std::string_view::npos;
}

/// Group addresses are the same everywhere: IPv4, IPv6 and InfiniBand multicast, broadcast.
bool is_group_address(std::string_view digits) {
    return digits.starts_with("01005e") || digits.starts_with("3333") || digits.starts_with("ffffff") ||
           digits.starts_with("00ffffff");
}

std::vector<std::string_view> dotted(std::string_view address) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t dot = address.find('.');
        parts.push_back(address.substr(0, dot));
        if (dot == std::string_view::npos)
            return parts;
        address.remove_prefix(dot + 1);
    }
}

bool is_ipv4(std::string_view address) {
    const auto parts = dotted(address);
    return parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
               return !part.empty() && part.size() <= 3 && std::all_of(part.begin(), part.end(), is_digit) &&
                      std::stoi(std::string(part)) <= 255;
           });
}

void replace_all(std::string& text, std::string_view what, std::string_view with, bool whole_word) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
        const bool left = at > 0 && is_word(text[at - 1]);
        const bool right = at + what.size() < text.size() && is_word(text[at + what.size()]);
        if (whole_word && (left || right)) {
            ++at;
            continue;
        }
        text.replace(at, what.size(), with);
        at += with.size();
    }
}

}  // namespace

std::string Pseudonyms::digest(std::string_view what) const {
    return sha256_hex(fmt::format("{}\n{}", key_, what));
}

void Pseudonyms::add_word(std::string_view word) {
    word = trim(word);
    const bool letters = std::any_of(word.begin(), word.end(), [](char c) { return is_word(c) && !is_digit(c); });
    if (word.size() < (letters ? kShortestWord : kShortestNumber) || std::none_of(word.begin(), word.end(), is_digit))
        return;
    words_.emplace(word, other_word(word));
}

std::string Pseudonyms::other_word(std::string_view word) const {
    std::string stream = digest(word);
    std::string other;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (2 * i + 1 >= stream.size())
            stream += digest(stream);
        const int random = value_of(stream[2 * i]) * 16 + value_of(stream[2 * i + 1]);
        const char c = word[i];
        if (is_digit(c))
            other += static_cast<char>('0' + random % 10);
        else if (is_upper(c))
            other += static_cast<char>('A' + random % 26);
        else if (is_lower(c))
            other += static_cast<char>('a' + random % 26);
        else
            other += c;
    }
    return other;
}

std::string Pseudonyms::other_hex(const std::string& digits) const {
    const auto found = hex_.find(digits);
    return found == hex_.end() ? digits : found->second;
}

void Pseudonyms::add_name(std::string_view name, std::string_view prefix) {
    name = trim(name);
    if (!name.empty())
        names_.emplace(name, fmt::format("{}-{}", prefix, digest(name).substr(0, 6)));
}

void Pseudonyms::add_hex(std::string_view text) {
    const std::string digits = digits_of(text);
    if (is_plain(digits) || is_group_address(digits) || hex_.contains(digits))
        return;
    std::string stream = digest(digits);
    while (stream.size() < digits.size())
        stream += digest(stream);
    std::string other = stream.substr(0, digits.size());
    if (digits.size() <= kGuidDigits)
        other.replace(0, kMakerDigits, digits, 0, kMakerDigits);
    hex_.emplace(digits, other);
}

void Pseudonyms::add_ipv4(std::string_view address) {
    if (!is_ipv4(address) || address.starts_with("0.") || address.starts_with("127.") || address.starts_with("255."))
        return;
    const std::size_t last = address.rfind('.');
    const std::string net = digest(address.substr(0, last));
    ipv4_.emplace(address, fmt::format("10.{}.{}{}", value_of(net[0]) * 16 + value_of(net[1]),
                                       value_of(net[2]) * 16 + value_of(net[3]), address.substr(last)));
}

void Pseudonyms::add_all_in(std::string_view text) {
    for (auto run = next_run(text, 0); run; run = next_run(text, run->end))
        add_hex(identity_in(*run));
}

std::string Pseudonyms::replace_hex(std::string text) const {
    constexpr std::string_view kMappedIpv4 = "00000000000000000000ffff";
    for (auto run = next_run(text, 0); run; run = next_run(text, run->end)) {
        if (run->digits.size() < kMacDigits)
            continue;
        const std::string_view spelt = std::string_view(text).substr(run->begin, run->end - run->begin);
        const bool capitals = std::any_of(spelt.begin(), spelt.end(), is_upper);
        const auto put = [&](std::size_t at, std::string_view other) {
            for (std::size_t i = 0; i < other.size(); ++i)
                text[run->places[at + i]] =
                    capitals && is_lower(other[i]) ? static_cast<char>(other[i] - 'a' + 'A') : other[i];
        };
        for (const auto& [digits, other] : hex_) {
            // A whole run, or an end of it as a GUID is of a GID: in the middle of other digits it is chance.
            if (run->digits.starts_with(digits))
                put(0, other);
            else if (run->digits.ends_with(digits))
                put(run->digits.size() - digits.size(), other);
        }
        // The RoCE v2 GID of an IPv4 address ends in it.
        if (run->digits.size() == kUuidDigits && run->digits.starts_with(kMappedIpv4)) {
            const std::string bytes = bytes_of(run->digits.substr(kMappedIpv4.size()));
            const auto part = [&](std::size_t i) {
                return static_cast<unsigned>(static_cast<unsigned char>(bytes[i]));
            };
            const auto found = ipv4_.find(fmt::format("{}.{}.{}.{}", part(0), part(1), part(2), part(3)));
            if (found != ipv4_.end()) {
                std::string other;
                for (const std::string_view number : dotted(found->second))
                    other += fmt::format("{:02x}", std::stoi(std::string(number)));
                put(kMappedIpv4.size(), other);
            }
        }
    }
    return text;
}

std::string Pseudonyms::replace_ipv4(std::string_view text) const {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_digit(text[at]) || (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.'))) {
            result += text[at++];
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && (is_digit(text[end]) || text[end] == '.'))
            ++end;
        while (text[end - 1] == '.')  // the end of a sentence
            --end;
        const auto found = ipv4_.find(std::string(text.substr(at, end - at)));
        result += found != ipv4_.end() ? std::string_view(found->second) : text.substr(at, end - at);
        at = end;
    }
    return result;
}

std::string Pseudonyms::replace_words(std::string_view text, bool is_path) const {
    const bool binary = text.find('\0') != std::string_view::npos;
    std::string result(text);
    for (const auto& [word, other] : words_)
        replace_all(result, word, other, true);
    if (is_path || binary)
        return result;
    for (const auto& [name, other] : names_)
        if (name.size() >= kShortestName || trim(result) == name)
            replace_all(result, name, other, true);
    return result;
}

std::string Pseudonyms::replace(std::string_view text) const {
    std::string result = replace_words(text, false);
    if (text.find('\0') != std::string_view::npos)
        return result;
    return replace_ipv4(replace_hex(std::move(result)));
}

std::string Pseudonyms::replace_in_path(std::string_view path) const {
    return replace_hex(replace_words(path, true));
}

Answers Pseudonyms::replace(const Answers& answers) const {
    Answers result;
    result.only_asked = answers.only_asked;
    const auto text_answer = [&](const TextAnswer& answer) {
        return TextAnswer{answer.status, replace(answer.text), replace(answer.reason)};
    };
    for (const auto& [path, answer] : answers.files) {
        TextAnswer& other = result.files[replace_in_path(path)];
        if (path.ends_with("/os-release"))
            other = answer;
        else
            other = text_answer(answer);
    }
    for (const auto& [path, answer] : answers.links)
        result.links[replace_in_path(path)] = {answer.status, replace_in_path(answer.text), replace(answer.reason)};
    for (const auto& [path, answer] : answers.lists) {
        ListAnswer& other = result.lists[replace_in_path(path)];
        other = {answer.status, {}, replace(answer.reason)};
        for (const std::string& name : answer.names)
            other.names.push_back(replace_in_path(name));
        std::sort(other.names.begin(), other.names.end());
    }
    for (const auto& [path, status] : answers.existence)
        result.existence[replace_in_path(path)] = status;
    for (const auto& [argv, answer] : answers.commands) {
        std::vector<std::string> words;
        for (const std::string& word : argv)
            words.push_back(replace(word));
        result.commands[words] = {answer.status, answer.code, replace(answer.output), replace(answer.errors),
                                  replace(answer.reason)};
    }
    for (const auto& [key, value] : answers.lookups)
        result.lookups[replace(key)] = value ? std::optional(replace(*value)) : std::nullopt;
    for (const auto& [name, value] : answers.environment)
        result.environment[name] = replace(value);
    return result;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "ingest/lspci_tree.hpp"

#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kNear = 2;  // columns that quoting may have shifted a line by
constexpr std::size_t kLongestLine = 4096;

/// As lspci prints them.
bool is_small_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/// "1c.5": device and function.
bool is_function(std::string_view text) {
    return text.size() >= 4 && is_small_hex(text[0]) && is_small_hex(text[1]) && text[2] == '.' && text[3] >= '0' &&
           text[3] <= '7';
}

/// Up to the first character that draws something other than a line from above.
std::size_t start_of(std::string_view line) {
    return std::min(line.find_first_not_of(" |"), line.size());
}

/// True when a line could be part of a tree: "-[0000:00]-+-00.0", " |           +-01.0-[01]--".
bool looks_like_tree(std::string_view line) {
    const std::string_view rest = line.substr(start_of(line));
    if (rest.starts_with("-[") || rest.starts_with("-+-["))
        return true;
    if (!rest.starts_with("+-") && !rest.starts_with("\\-"))
        return false;
    return rest.substr(2).starts_with('[') || is_function(rest.substr(2));
}

}  // namespace

LspciTree::Bus LspciTree::bus_at(std::size_t column) const {
    const auto exact = branches_.find(column);
    if (exact != branches_.end())
        return exact->second;
    for (const auto& [other, bus] : branches_)
        if ((other > column ? other - column : column - other) <= kNear)
            return bus;
    return {};
}

/// "[0000:00]", "[01]", "[02-05]" at the start of `rest`.
bool LspciTree::take_bus(std::string_view& rest, Bus& bus) const {
    const std::size_t close = rest.find(']');
    if (!rest.starts_with('[') || close == kNone || close > 20)
        return false;
    std::string_view text = rest.substr(1, close - 1);
    text = text.substr(0, text.find('-'));
    const std::size_t colon = text.find(':');
    if (colon != kNone) {
        if (colon < 4 || text.substr(0, colon).find_first_not_of("0123456789abcdef") != kNone)
            return false;
        bus.domain = text.substr(0, colon);
        bus.bridge.reset();
        text = text.substr(colon + 1);
    } else if (bus.domain.empty()) {  // a root bus of old versions
        bus.domain = "0000";
    } else {
        bus.bridge = last_;
    }
    const auto number = hex_number(text);
    if (!number || *number > 0xff)
        return false;
    bus.number = *number;
    rest.remove_prefix(close + 1);
    return true;
}

std::vector<LspciTree::Node> LspciTree::take(std::string_view line) {
    std::vector<Node> nodes;
    if (!looks_like_tree(line) || line.size() > kLongestLine)
        return nodes;
    const std::size_t start = start_of(line);
    Bus bus = line[start] == '-' ? Bus{} : bus_at(start);
    std::string_view rest = line.substr(start);
    while (!rest.empty()) {
        const std::size_t column = line.size() - rest.size();
        if (rest[0] == '+' || rest[0] == '\\') {
            branches_.erase(branches_.upper_bound(column), branches_.end());
            branches_[column] = bus;
            rest.remove_prefix(1);
        } else if (rest[0] == '-') {
            rest.remove_prefix(1);
        } else if (rest[0] == '[') {
            if (!take_bus(rest, bus))
                break;
        } else if (is_function(rest) && bus.known() && !bus.domain.empty()) {
            Node node{fmt::format("{}:{:02x}:{}", bus.domain, bus.number, rest.substr(0, 4)), bus.bridge, ""};
            rest.remove_prefix(4);
            if (rest.starts_with(' ') || rest.empty()) {
                node.name = trim(rest);
                rest = {};
            }
            last_ = node.address;
            nodes.push_back(std::move(node));
        } else {
            break;
        }
    }
    return nodes;
}

}  // namespace gpuadapt::ingest

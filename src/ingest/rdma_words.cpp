// SPDX-License-Identifier: Apache-2.0
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace gpuadapt::ingest {

namespace {

constexpr double kLargestRate = 1e6;              // Gb/s
constexpr std::int64_t kLargestLid = 0x7fffffff;  // Omni-Path has 32 bits
constexpr std::int64_t kLargestMtu = 65536;

struct Word {
    std::string_view spelling;  ///< letters only, lower case
    std::string_view kernel;
};

constexpr Word kPortStates[] = {
    {"nop", "NOP"},           {"nostatechange", "NOP"}, {"down", "DOWN"},     {"init", "INIT"},
    {"initializing", "INIT"}, {"armed", "ARMED"},       {"active", "ACTIVE"}, {"activedefer", "ACTIVE_DEFER"},
};

// "armed" stands in the list of rdma(8) where the others have the training; ibv_devinfo spells that with two n.
constexpr Word kPhysicalStates[] = {
    {"sleep", "Sleep"},
    {"polling", "Polling"},
    {"disabled", "Disabled"},
    {"portconfigurationtraining", "PortConfigurationTraining"},
    {"portconfigurationtrainning", "PortConfigurationTraining"},
    {"armed", "PortConfigurationTraining"},
    {"linkup", "LinkUp"},
    {"linkerrorrecovery", "LinkErrorRecovery"},
    {"phytest", "Phy Test"},
};

constexpr Word kGidTypes[] = {
    {"ib", "IB/RoCE v1"},        {"ibrocev", "IB/RoCE v1"}, {"v1", "IB/RoCE v1"},  {"rocev1", "IB/RoCE v1"},
    {"ib/rocev1", "IB/RoCE v1"}, {"v2", "RoCE v2"},         {"rocev2", "RoCE v2"},
};

constexpr Word kNodeTypes[] = {
    {"ca", "CA"},       {"switch", "switch"},      {"router", "router"},           {"rnic", "RNIC"},
    {"usnic", "usNIC"}, {"usnicudp", "usNIC UDP"}, {"unspecified", "unspecified"},
};

constexpr Word kLinkLayers[] = {{"infiniband", "InfiniBand"}, {"ethernet", "Ethernet"}};

std::optional<std::string> find_word(std::span<const Word> words, std::string_view spelling) {
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.spelling == spelling; });
    return found == words.end() ? std::nullopt : std::optional(std::string(found->kernel));
}

/// "PORT_LINK_UP (5)" and "5: LinkUp" are "portlinkup" and "linkup".
std::string letters(std::string_view text) {
    std::string result;
    for (const char c : text)
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
            result += static_cast<char>(c | 0x20);
    return result;
}

/// Lower case without blanks.
std::string squeezed(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (c != ' ' && c != '\t')
            result += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return result;
}

template <typename Field, typename Value>
bool take(Field& field, const Value& value) {
    if (!value)
        return false;
    field = *value;
    return true;
}

std::optional<std::string> some_text(std::string_view text) {
    text = trim(text);
    return text.empty() ? std::nullopt : std::optional(clean_utf8(text));
}

bool take_rate(std::string_view text, RdmaPort& port) {
    const auto rate = port_rate(text);
    if (rate && rate->width)
        port.width = rate->width;
    return take(port.rate_gbit_s, rate ? std::optional(rate->gbit_s) : std::nullopt);
}

constexpr FactFile<RdmaPort> kPortFiles[] = {
    {"state", [](std::string_view text, RdmaPort& port) { return take(port.state, port_state(text)); }},
    {"phys_state", [](std::string_view text, RdmaPort& port) { return take(port.phys_state, physical_state(text)); }},
    {"link_layer", [](std::string_view text,
                      RdmaPort& port) { return take(port.link_layer, find_word(kLinkLayers, letters(text))); }},
    {"rate", take_rate},
    {"lid", [](std::string_view text, RdmaPort& port) { return take(port.lid, local_id(text)); }},
    {"sm_lid", [](std::string_view text, RdmaPort& port) { return take(port.sm_lid, local_id(text)); }},
};

constexpr FactFile<RdmaDevice> kDeviceFiles[] = {
    {"fw_ver", [](std::string_view text, RdmaDevice& device) { return take(device.firmware, some_text(text)); }},
    {"board_id", [](std::string_view text, RdmaDevice& device) { return take(device.board_id, some_text(text)); }},
    {"hca_type", [](std::string_view text, RdmaDevice& device) { return take(device.model, some_text(text)); }},
    {"node_guid", [](std::string_view text, RdmaDevice& device) { return take(device.node_guid, node_guid(text)); }},
    {"node_type", [](std::string_view text, RdmaDevice& device) { return take(device.node_type, node_type(text)); }},
};

}  // namespace

std::optional<std::string> port_state(std::string_view text) {
    std::string word = letters(text);
    if (word.starts_with("port"))
        word.erase(0, 4);
    return find_word(kPortStates, word);
}

std::optional<std::string> physical_state(std::string_view text) {
    return find_word(kPhysicalStates, letters(text));
}

std::optional<PortRate> port_rate(std::string_view text) {
    text = trim(text);
    const std::size_t blank = text.find(' ');
    const auto gbit_s = parse_real(text.substr(0, blank));
    if (!gbit_s || !(*gbit_s >= 0 && *gbit_s < kLargestRate))
        return std::nullopt;
    const std::string_view rest = blank == std::string_view::npos ? "" : trim(text.substr(blank));
    if (!rest.empty() && !rest.starts_with("Gb/sec") && !rest.starts_with('('))
        return std::nullopt;
    PortRate rate{*gbit_s, std::nullopt};
    const std::size_t open = text.find('(');
    const std::size_t lanes = open == std::string_view::npos ? open : text.find('X', open);
    if (lanes != std::string_view::npos)
        rate.width = whole_number(text.substr(open + 1, lanes - open - 1), 1, 64);
    return rate;
}

std::optional<std::string> node_guid(std::string_view text) {
    std::string digits;
    text = trim(text);
    const bool grouped = text.find(':') != std::string_view::npos;
    if (grouped ? text.size() != 19 : !text.starts_with("0x"))
        return std::nullopt;
    if (!grouped)
        text.remove_prefix(2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool colon = grouped && i % 5 == 4;
        if (colon ? text[i] != ':' : !is_hex_digit(text[i]))
            return std::nullopt;
        if (!colon)
            digits += static_cast<char>(text[i] >= 'A' && text[i] <= 'F' ? text[i] | 0x20 : text[i]);
    }
    if (digits.empty() || digits.size() > 16)
        return std::nullopt;
    digits.insert(0, 16 - digits.size(), '0');
    return fmt::format("{}:{}:{}:{}", digits.substr(0, 4), digits.substr(4, 4), digits.substr(8, 4), digits.substr(12));
}

std::optional<std::string> gid(std::string_view text) {
    const std::string address(trim(text));
    std::array<unsigned char, 16> bytes{};
    if (address.find('\0') != std::string::npos || inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1)
        return std::nullopt;
    std::string result;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        fmt::format_to(std::back_inserter(result), "{}{:02x}", i > 0 && i % 2 == 0 ? ":" : "", bytes[i]);
    return result;
}

bool is_empty_gid(std::string_view gid) {
    if (gid.starts_with("fe80:"))
        gid.remove_prefix(4);
    return gid.find_first_not_of("0:") == std::string_view::npos;
}

std::optional<std::string> gid_type(std::string_view text) {
    return find_word(kGidTypes, squeezed(text));
}

std::optional<int> local_id(std::string_view text) {
    text = trim(text);
    if (!text.starts_with("0x"))
        return whole_number(text, 0, kLargestLid);
    return hex_number(text.substr(2), kLargestLid);
}

std::optional<std::string> node_type(std::string_view text) {
    return find_word(kNodeTypes, letters(text));
}

std::optional<int> mtu_bytes(std::string_view text) {
    text = trim(text);
    return whole_number(text.substr(0, text.find(' ')), 1, kLargestMtu);
}

std::span<const FactFile<RdmaPort>> port_files() {
    return kPortFiles;
}

std::span<const FactFile<RdmaDevice>> device_files() {
    return kDeviceFiles;
}

}  // namespace gpuadapt::ingest

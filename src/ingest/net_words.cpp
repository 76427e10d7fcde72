// SPDX-License-Identifier: Apache-2.0
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/net_words.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace gpuadapt::ingest {

namespace {

constexpr std::int64_t kLargestInt = 0x7fffffff;
constexpr std::size_t kPriorities = 8;

/// ARPHRD_* numbers (linux/if_arp.h).
std::string kind_of_type(int type) {
    switch (type) {
        case 1:
            return "ethernet";
        case 32:
            return "infiniband";
        case 772:
            return "loopback";
        default:
            return "other";
    }
}

bool take_number(std::string_view value, std::int64_t least, std::optional<int>& field) {
    const auto number = whole_number(trim(value), least, kLargestInt);
    if (number)
        field = number;
    return number.has_value();
}

bool take_text(std::string_view value, std::optional<std::string>& field) {
    value = trim(value);
    if (!value.empty())
        field = clean_utf8(value);
    return !value.empty();
}

bool take_type(std::string_view text, NetInterface& interface) {
    const auto type = whole_number(trim(text), 0, kLargestInt);
    if (type)
        interface.kind = kind_of_type(*type);
    return type.has_value();
}

bool take_bond_mode(std::string_view text, NetInterface& interface) {  // "802.3ad 4"
    text = trim(text);
    return take_text(text.substr(0, text.find(' ')), interface.bond_mode);
}

bool take_speed(std::string_view text, NetInterface& interface) {
    return take_number(text, 1, interface.speed_mbit_s) || parse_integer(trim(text)).has_value();
}

constexpr FactFile<NetInterface> kInterfaceFiles[] = {
    {"address", [](std::string_view text, NetInterface& interface) { return take_text(text, interface.mac); }},
    {"operstate", [](std::string_view text, NetInterface& interface) { return take_text(text, interface.state); }},
    {"type", take_type},
    {"mtu", [](std::string_view text, NetInterface& interface) { return take_number(text, 0, interface.mtu); }},
    {"speed", take_speed},
    {"phys_port_name",
     [](std::string_view text, NetInterface& interface) { return take_text(text, interface.port_name); }},
    {"bonding/mode", take_bond_mode},
};

}  // namespace

std::span<const FactFile<NetInterface>> interface_files() {
    return kInterfaceFiles;
}

bool take_ecn_file(std::string_view name, std::string_view value, NetInterface& interface) {
    const auto number = whole_number(trim(value), 0, 255);
    if (!number)
        return false;
    if (name == "roce_np/cnp_dscp" || name == "roce_np/cnp_802p_prio") {
        interface.qos[name == "roce_np/cnp_dscp" ? "cnp_dscp" : "cnp_prio"] = std::to_string(*number);
        return true;
    }
    const bool is_notifier = name.starts_with("roce_np/enable/");
    if (!is_notifier && !name.starts_with("roce_rp/enable/"))
        return false;
    const auto priority = whole_number(name.substr(name.rfind('/') + 1), 0, kPriorities - 1);
    if (priority)
        put_in_list(interface.qos[is_notifier ? "ecn_np" : "ecn_rp"], kPriorities, static_cast<std::size_t>(*priority),
                    std::to_string(*number));
    return priority.has_value();
}

}  // namespace gpuadapt::ingest

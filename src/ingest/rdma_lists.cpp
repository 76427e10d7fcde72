// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_reading.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Tools that print a device or port a line: rdma(8), ibdev2netdev, show_gids; and perfquery.
namespace gpuadapt::ingest {

namespace {

constexpr int kMostPorts = 255;
constexpr int kMostGids = 1024;
constexpr std::size_t kMostWords = 512;

struct PortName {
    std::string_view device;
    int port = 0;
};

/// "mlx5_0/1" or "mlx5_0/1:"
std::optional<PortName> port_name(std::string_view word) {
    if (word.ends_with(':'))
        word.remove_suffix(1);
    const std::size_t slash = word.find('/');
    if (slash == std::string_view::npos || slash == 0)
        return std::nullopt;
    const auto port = whole_number(word.substr(slash + 1), 1, kMostPorts);
    const bool is_index = whole_number(word.substr(0, slash), 0, 1 << 20).has_value();
    return port && !is_index ? std::optional(PortName{word.substr(0, slash), *port}) : std::nullopt;
}

/// Words of rdma(8) and the file of /sys/class/infiniband that says the same.
std::string_view file_of_rdma_word(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFiles = {{
        {"state", "state"},
        {"physical_state", "phys_state"},
        {"lid", "lid"},
        {"sm_lid", "sm_lid"},
        {"node_type", "node_type"},
        {"fw", "fw_ver"},
        {"node_guid", "node_guid"},
    }};
    const auto* const found =
        std::find_if(kFiles.begin(), kFiles.end(), [&](const auto& row) { return row.first == word; });
    return found == kFiles.end() ? "" : found->second;
}

RdmaDevice device_of_interface(std::string_view name) {
    RdmaDevice device;
    device.interfaces.emplace_back(clean_utf8(name));
    return device;
}

void add_state(std::string_view interface, std::string_view word, RdmaReading& reading) {
    NetInterface fact;
    fact.state = word == "Up" ? "up" : "down";
    reading.open_interface(interface);
    reading.add(fact);
}

/// "(MT4129 - MCX755106AS-HEAT) ConnectX-7 ... fw 28.39.1002" in front of "port 1 (ACTIVE) ==> ..." of ibdev2netdev -v.
void add_card(const std::vector<std::string_view>& words, std::size_t first, std::size_t last, RdmaReading& reading) {
    RdmaDevice device;
    for (std::size_t i = first; i < last; ++i) {
        if (i == first && words[i].starts_with("(MT"))
            device.model = clean_utf8(words[i].substr(1));
        if (words[i] == "fw" && i + 1 < last)
            device.firmware = clean_utf8(words[i + 1]);
    }
    if (first > 1 && is_pci_address(words[first - 2]))
        device.pci_address = std::string(words[first - 2]);
    if (device.model || device.firmware || device.pci_address)
        reading.add(device);
}

/// perfquery's names for the counters of Documentation/ABI/stable/sysfs-class-infiniband.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kPerfquery = {{
    {"SymbolErrorCounter", "symbol_error"},
    {"LinkErrorRecoveryCounter", "link_error_recovery"},
    {"LinkDownedCounter", "link_downed"},
    {"PortRcvErrors", "port_rcv_errors"},
    {"PortRcvRemotePhysicalErrors", "port_rcv_remote_physical_errors"},
    {"PortRcvSwitchRelayErrors", "port_rcv_switch_relay_errors"},
    {"PortXmitDiscards", "port_xmit_discards"},
    {"PortXmitConstraintErrors", "port_xmit_constraint_errors"},
    {"PortRcvConstraintErrors", "port_rcv_constraint_errors"},
    {"LocalLinkIntegrityErrors", "local_link_integrity_errors"},
    {"ExcessiveBufferOverrunErrors", "excessive_buffer_overrun_errors"},
    {"VL15Dropped", "VL15_dropped"},
    {"PortXmitData", "port_xmit_data"},
    {"PortRcvData", "port_rcv_data"},
    {"PortXmitPkts", "port_xmit_packets"},
    {"PortRcvPkts", "port_rcv_packets"},
    {"PortXmitWait", "port_xmit_wait"},
    {"PortUnicastXmitPkts", "unicast_xmit_packets"},
    {"PortUnicastRcvPkts", "unicast_rcv_packets"},
    {"PortMulticastXmitPkts", "multicast_xmit_packets"},
    {"PortMulticastRcvPkts", "multicast_rcv_packets"},
    {"QP1Dropped", "qp1_dropped"},
}};

}  // namespace

/// "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1", "8/1: mlx5_bond_0/1: state ..." of old versions,
/// and "link mlx5_0/1 rx_write_requests 0 ..." of `rdma statistic`.
bool read_rdma_link(const RdmaLine& line, RdmaReading& reading) {
    const auto words = words_of(line.text, kMostWords);
    const bool has_index = words.size() > 1 && words[0].ends_with(':') && words[0].find('/') != std::string_view::npos;
    const std::size_t at = has_index || words[0] == "link" ? 1 : words.size();
    const auto name = at + 2 < words.size() ? port_name(words[at]) : std::nullopt;
    if (!name)
        return false;
    RdmaPort port;
    port.number = name->port;
    std::string_view interface;
    for (std::size_t i = at + 1; i + 1 < words.size(); i += 2) {
        const std::string_view file = file_of_rdma_word(words[i]);
        const auto count = parse_integer(words[i + 1]);
        if (const auto* const known = find_file(port_files(), file))
            known->take(words[i + 1], port);
        else if (words[i] == "netdev")
            interface = words[i + 1];
        else if (count && *count >= 0 && words[i] != "lmc" && words[i] != "netdev_index")
            port.counters.emplace(words[i], *count);
    }
    if (!port.state && port.counters.empty())
        return false;
    reading.open_device(name->device);
    reading.add(std::move(port));
    if (!interface.empty())
        reading.add(device_of_interface(interface));
    return true;
}

/// "0: mlx5_0: node_type ca fw 28.39.1002 node_guid ..." of `rdma dev`, "0: mlx5_0: pd 3 cq 5 qp 4 ..." of `rdma res`.
bool read_rdma_dev(const RdmaLine& line, RdmaReading& reading) {
    const auto words = words_of(line.text, kMostWords);
    if (words.size() < 4 || !words[0].ends_with(':') || !words[1].ends_with(':') ||
        !whole_number(words[0].substr(0, words[0].size() - 1), 0, 1 << 20))
        return false;
    if (words[2] != "node_type" && words[2] != "pd" && words[2] != "curr/max:")
        return false;
    reading.open_device(words[1].substr(0, words[1].size() - 1));
    RdmaDevice device;
    for (std::size_t i = 2; i + 1 < words.size(); i += 2)
        if (const auto* const known = find_file(device_files(), file_of_rdma_word(words[i])))
            known->take(words[i + 1], device);
    reading.add(device);
    return true;
}

/// "mlx5_0 port 1 ==> ens1 (Up)"; -v: "0000:3a:00.0 mlx5_0 (MT4129 - PART) NAME fw 28.39.1002 port 1 (ACTIVE) ==> ..."
bool read_ibdev2netdev(const RdmaLine& line, RdmaReading& reading) {
    const auto words = words_of(line.text, kMostWords);
    const auto arrow = static_cast<std::size_t>(std::find(words.begin(), words.end(), "==>") - words.begin());
    const bool is_long = !words.empty() && is_pci_address(words[0]);
    const std::size_t name = is_long ? 1 : 0;
    if (arrow < 3 || arrow + 2 > words.size())
        return false;
    std::size_t port_at = arrow - 1;
    while (port_at > name && words[port_at] != "port")
        --port_at;
    const auto number = port_at + 1 < arrow ? whole_number(words[port_at + 1], 1, kMostPorts) : std::nullopt;
    if (!number || port_at <= name)
        return false;
    reading.open_device(words[name]);
    RdmaPort port;
    port.number = *number;
    if (port_at + 2 < arrow)  // "(ACTIVE)", "(DOWN  )"
        port.state = port_state(words[port_at + 2]);
    reading.add(std::move(port));
    if (is_long)
        add_card(words, name + 1, port_at, reading);
    reading.add(device_of_interface(words[arrow + 1]));
    if (arrow + 2 < words.size() && (words[arrow + 2] == "(Up)" || words[arrow + 2] == "(Down)"))
        add_state(words[arrow + 1], words[arrow + 2].substr(1, words[arrow + 2].size() - 2), reading);
    return true;
}

/// "mlx5_0  1  3  0000:...:ffff:c000:0201  192.0.2.1  v2  ens1"
bool open_show_gids(const RdmaLine& line, RdmaReading& reading) {
    const auto words = words_of(line.text, kMostWords);
    if (words.size() >= 4 && words[0] == "DEV" && words[1] == "PORT" && words[2] == "INDEX" && words[3] == "GID")
        return true;
    const auto number = words.size() >= 4 ? whole_number(words[1], 1, kMostPorts) : std::nullopt;
    const auto index = number ? whole_number(words[2], 0, kMostGids - 1) : std::nullopt;
    const auto address = index ? gid(words[3]) : std::nullopt;
    if (!address)
        return false;
    RdmaGid entry{*index, *address, std::nullopt, std::nullopt};
    for (std::size_t i = 4; i < words.size(); ++i)
        if (const auto type = gid_type(words[i])) {
            entry.type = type;
            if (i + 1 < words.size())
                entry.interface = clean_utf8(words[i + 1]);
            break;
        }
    RdmaPort port;
    port.number = *number;
    port.gids.push_back(std::move(entry));
    reading.open_device(words[0]);
    reading.add(std::move(port));
    return true;
}

bool read_show_gids(const RdmaLine& line, RdmaReading&) {
    return line.text.starts_with("---") || line.text.starts_with("n_gids_found=");
}

/// "# Port counters: Lid 75 port 1 (CapMask: 0x5300)"
bool open_perfquery(const RdmaLine& line, RdmaReading& reading) {
    const auto words = words_of(line.text, kMostWords);
    if (words.size() < 7 || words[0] != "#" || words[1] != "Port" ||
        (words[2] != "counters:" && words[2] != "extended"))
        return false;
    const std::size_t at = words[2] == "extended" ? 4 : 3;
    const auto lid = at + 3 < words.size() && words[at] == "Lid" ? local_id(words[at + 1]) : std::nullopt;
    const auto number = lid && words[at + 2] == "port" ? whole_number(words[at + 3], 1, kMostPorts) : std::nullopt;
    if (!number)
        return false;
    reading.begin_command("", "");
    RdmaPort port;
    port.number = *number;
    port.lid = lid;
    reading.open_port(*number);
    reading.add(std::move(port));
    return true;
}

/// "SymbolErrorCounter:..............0"
bool read_perfquery(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    if (!pair || !pair->second.starts_with('.'))
        return false;
    const std::string_view value =
        pair->second.substr(std::min(pair->second.find_first_not_of('.'), pair->second.size()));
    const auto* const row = std::find_if(kPerfquery.begin(), kPerfquery.end(),
                                         [&](const auto& entry) { return entry.first == pair->first; });
    const auto count = parse_integer(value);
    if (row == kPerfquery.end() || !count || *count < 0)
        return row == kPerfquery.end();  // PortSelect, CounterSelect
    RdmaPort port;
    port.counters.emplace(row->second, *count);
    reading.add(std::move(port));
    return true;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_reading.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

/// ibstat and ibstatus (infiniband-diags), ibv_devinfo (rdma-core): a device, its ports, a fact a line.
namespace gpuadapt::ingest {

namespace {

constexpr int kMostPorts = 255;
constexpr int kMostGids = 1024;

/// A key of a tool and the file of /sys/class/infiniband with the same fact; "" where a Machine has no place for it.
struct Key {
    std::string_view key, file;
};

constexpr Key kIbstat[] = {
    {"CA type", "hca_type"},
    {"Number of ports", ""},
    {"Firmware version", "fw_ver"},
    {"Hardware version", ""},
    {"Node GUID", "node_guid"},
    {"System image GUID", ""},
    {"State", "state"},
    {"Physical state", "phys_state"},
    {"Rate", "rate"},
    {"Effective speed", ""},
    {"Base lid", "lid"},
    {"LMC", ""},
    {"SM lid", "sm_lid"},
    {"Capability mask", ""},
    {"Port GUID", ""},
    {"Link layer", "link_layer"},
};

constexpr Key kIbstatus[] = {
    {"base lid", "lid"},          {"sm lid", "sm_lid"}, {"state", "state"},
    {"phys state", "phys_state"}, {"rate", "rate"},     {"link_layer", "link_layer"},
};

constexpr Key kIbvDevinfo[] = {
    {"fw_ver", "fw_ver"},         {"node_guid", "node_guid"}, {"board_id", "board_id"}, {"state", "state"},
    {"phys_state", "phys_state"}, {"port_lid", "lid"},        {"sm_lid", "sm_lid"},     {"link_layer", "link_layer"},
};

/// What a firmware or driver of which nothing is known is called.
bool is_nothing(std::string_view value) {
    return value.empty() || value == "unknown" || value == "N/A";
}

bool take_key(std::span<const Key> keys, std::string_view key, std::string_view value, RdmaReading& reading) {
    const auto row = std::find_if(keys.begin(), keys.end(), [&](const Key& candidate) { return candidate.key == key; });
    if (row == keys.end())
        return false;
    if (row->file.empty() || is_nothing(value))
        return true;
    RdmaPort port;
    RdmaDevice device;
    const auto* const port_file = find_file(port_files(), row->file);
    const auto* const device_file = find_file(device_files(), row->file);
    if (port_file != nullptr && port_file->take(value, port))
        reading.add(std::move(port));
    else if (device_file != nullptr && device_file->take(value, device))
        reading.add(device);
    else
        return false;
    return true;
}

bool add_gid(RdmaReading& reading, int index, const std::optional<std::string>& address, std::string_view type) {
    if (!address)
        return false;
    RdmaPort port;
    port.gids.push_back({index, *address, gid_type(type), std::nullopt});
    reading.add(std::move(port));
    return true;
}

/// "GID[  3]:\t\t::ffff:192.0.2.6, RoCE v2"
bool take_gid_line(std::string_view line, RdmaReading& reading) {
    const auto index_text = line.starts_with("GID[") ? between(line, "GID[", "]:") : std::nullopt;
    if (!index_text)
        return false;
    const auto index = whole_number(trim(*index_text), 0, kMostGids - 1);
    const std::string_view value = trim(line.substr(line.find("]:") + 2));
    const std::size_t comma = value.find(',');
    return index && add_gid(reading, *index, gid(value.substr(0, comma)),
                            comma == std::string_view::npos ? "" : value.substr(comma + 1));
}

/// The number before the blank of "25.0 Gbps (32)" or "4X (2)".
std::optional<double> leading_number(std::string_view text, std::string_view unit) {
    const std::size_t end = text.find(unit);
    const auto number = end == std::string_view::npos ? std::nullopt : parse_real(trim(text.substr(0, end)));
    return number && *number > 0 && *number < 1e6 ? number : std::nullopt;
}

/// Facts that ibv_devinfo has and the kernel has no file for. active_speed is that of one lane; the kernel's rate is
/// their product too.
bool take_verbs_key(std::string_view key, std::string_view value, RdmaReading& reading) {
    RdmaPort port;
    if (key == "active_mtu") {
        port.mtu_bytes = mtu_bytes(value);
    } else if (key == "max_mtu") {
        port.max_mtu_bytes = mtu_bytes(value);
    } else if (key == "active_width") {
        if (const auto lanes = leading_number(value, "X"))
            port.width = static_cast<int>(*lanes);
    } else if (key == "active_speed") {
        const auto speed = leading_number(value, " Gbps");
        if (speed && reading.width())
            port.rate_gbit_s = *speed * *reading.width();
    } else {
        return false;
    }
    if (port == RdmaPort{})
        return false;
    reading.add(std::move(port));
    return true;
}

/// "max_qp", "atomic_cap": one word of small letters and digits, as all keys of ibv_devinfo are.
bool is_verbs_key(std::string_view key) {
    return key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

/// "BAD_PKEY_CNTR", "MEM_WINDOW_TYPE_2B", "NO SUPPORT": a capability, one a line.
bool is_capability(std::string_view text) {
    return text.size() > 3 &&
           text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ") == std::string_view::npos;
}

}  // namespace

bool open_ibstat(const RdmaLine& line, RdmaReading& reading) {
    const auto name = line.text.starts_with("CA '") ? between(line.text, "CA '", "'") : std::nullopt;
    if (!name || name->empty())
        return false;
    reading.open_device(*name);
    return true;
}

bool read_ibstat(const RdmaLine& line, RdmaReading& reading) {
    if (line.text.starts_with("Port ") && line.text.ends_with(':')) {
        const auto number = whole_number(line.text.substr(5, line.text.size() - 6), 1, kMostPorts);
        if (number && reading.has_device()) {
            RdmaPort port;
            port.number = *number;
            reading.open_port(*number);
            reading.add(std::move(port));
            return true;
        }
    }
    const auto pair = key_and_value(line.text);
    return pair && take_key(kIbstat, pair->first, pair->second, reading);
}

bool open_ibstatus(const RdmaLine& line, RdmaReading& reading) {
    const auto name = line.text.starts_with("Infiniband device '") ? between(line.text, "device '", "'") : std::nullopt;
    const auto number_text = name ? between(line.text, "' port ", " status:") : std::nullopt;
    const auto number = number_text ? whole_number(*number_text, 1, kMostPorts) : std::nullopt;
    if (!number || name->empty())
        return false;
    reading.open_device(*name);
    reading.open_port(*number);
    reading.add(RdmaPort{});
    return true;
}

bool read_ibstatus(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    if (!pair)
        return false;
    if (pair->first == "default gid")  // that is the first entry of the table
        return is_nothing(pair->second) || add_gid(reading, 0, gid(pair->second), "");
    return take_key(kIbstatus, pair->first, pair->second, reading);
}

bool open_ibv_devinfo(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    if (!pair)
        return false;
    if (pair->first == "hca_id" && !pair->second.empty()) {
        reading.open_device(pair->second);
        return true;
    }
    if (take_gid_line(line.text, reading))
        return true;
    // Lines that were cut out of the middle are known by the number behind the word: "LINK_UP (5)".
    const bool numbered = pair->second.ends_with(')') && pair->second.find(" (") != std::string_view::npos;
    if (!numbered)
        return false;
    return take_verbs_key(pair->first, pair->second, reading) ||
           (pair->first == "phys_state" && take_key(kIbvDevinfo, pair->first, pair->second, reading)) ||
           (pair->first == "state" && pair->second.starts_with("PORT_") &&
            take_key(kIbvDevinfo, pair->first, pair->second, reading));
}

bool read_ibv_devinfo(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    if (!pair)
        return is_capability(line.text);
    if (pair->first == "port") {
        const auto number = whole_number(pair->second, 1, kMostPorts);
        if (number) {
            reading.open_port(*number);
            reading.add(RdmaPort{});
        }
        return number.has_value();
    }
    return take_key(kIbvDevinfo, pair->first, pair->second, reading) || is_verbs_key(pair->first);
}

}  // namespace gpuadapt::ingest

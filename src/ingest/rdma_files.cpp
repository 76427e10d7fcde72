// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_reading.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/net_words.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Dumps of the kernel's files, and its messages.
namespace gpuadapt::ingest {

namespace {

constexpr int kMostPorts = 255;
constexpr int kMostGids = 1024;
constexpr std::string_view kNone = "<unknown>";

/// A path below /sys that is about an RDMA device or an interface.
struct FilePath {
    bool is_rdma = false;
    std::string_view name;  ///< mlx5_0, ens1
    std::string_view file;  ///< "ports/1/state", with what stands behind it
};

std::optional<FilePath> file_path(std::string_view line) {
    constexpr std::string_view kRdma = "/infiniband/", kNet = "/net/";
    const std::size_t start = line.find("/sys/");
    if (start > 64 ||
        (!line.substr(start).starts_with("/sys/class/") && !line.substr(start).starts_with("/sys/devices/")))
        return std::nullopt;
    const std::size_t rdma = line.find(kRdma), net = line.rfind(kNet);
    if (rdma == std::string_view::npos && net == std::string_view::npos)
        return std::nullopt;
    const bool is_rdma = net == std::string_view::npos || (rdma != std::string_view::npos && rdma > net);
    const std::string_view rest = line.substr(is_rdma ? rdma + kRdma.size() : net + kNet.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || slash == 0)
        return std::nullopt;
    return FilePath{is_rdma, rest.substr(0, slash), rest.substr(slash + 1)};
}

bool take_counter(std::string_view name, std::string_view value, RdmaReading& reading) {
    if (name == "lifespan" || value.starts_with("N/A"))  // how long values are cached; "N/A (no PMA)"
        return true;
    const auto count = parse_integer(value);
    if (!count || *count < 0)
        return false;
    RdmaPort port;
    port.counters.emplace(clean_utf8(name), *count);
    reading.add(std::move(port));
    return true;
}

/// gids/3, gid_attrs/types/3, gid_attrs/ndevs/3. The attributes come before their GID in an ordered listing.
bool take_gid_file(std::string_view name, std::string_view value, RdmaReading& reading) {
    const auto index = whole_number(name.substr(name.rfind('/') + 1), 0, kMostGids - 1);
    if (!index)
        return false;
    RdmaGid entry{*index, "", std::nullopt, std::nullopt};
    if (name.starts_with("gids/")) {
        const auto address = gid(value);
        if (!address)
            return false;
        entry.gid = *address;
    } else if (name.starts_with("gid_attrs/types/")) {
        entry.type = gid_type(value);
    } else if (name.starts_with("gid_attrs/ndevs/") && !value.empty()) {
        entry.interface = clean_utf8(value);
    }
    RdmaPort port;
    port.gids.push_back(std::move(entry));
    reading.add(std::move(port));
    return true;
}

/// A file of a port. One whose fact has no place in a Machine is understood too.
bool take_port(std::string_view name, std::string_view value, RdmaReading& reading) {
    constexpr std::string_view kCounters = "counters/", kHwCounters = "hw_counters/";
    if (name.starts_with(kCounters) || name.starts_with(kHwCounters))
        return take_counter(name.substr(name.find('/') + 1), value, reading);
    if (name.starts_with("gids/") || name.starts_with("gid_attrs/"))
        return take_gid_file(name, value, reading);
    const auto* const file = find_file(port_files(), name);
    if (file == nullptr || value.ends_with(kNone))
        return true;
    RdmaPort port;
    const bool taken = file->take(value, port);
    if (taken)
        reading.add(std::move(port));
    return taken;
}

bool take_device(std::string_view file, std::string_view value, RdmaReading& reading) {
    constexpr std::string_view kPorts = "ports/";
    if (!file.starts_with(kPorts)) {
        const auto* const known = find_file(device_files(), file);
        RdmaDevice device;
        const bool taken = known != nullptr && known->take(value, device);
        if (taken)
            reading.add(device);
        return taken || known == nullptr;
    }
    file.remove_prefix(kPorts.size());
    const std::size_t slash = file.find('/');
    const auto number =
        slash == std::string_view::npos ? std::nullopt : whole_number(file.substr(0, slash), 1, kMostPorts);
    if (!number)
        return false;
    reading.open_port(*number);
    return take_port(file.substr(slash + 1), value, reading);
}

bool take_interface(std::string_view name, std::string_view file, std::string_view value, RdmaReading& reading) {
    constexpr std::string_view kEcn = "ecn/", kStatistics = "statistics/";
    const auto* const known = find_file(interface_files(), file);
    NetInterface interface;
    if (file.starts_with(kStatistics)) {
        const auto count = parse_integer(value);
        if (!count || *count < 0)
            return false;
        interface.counters.emplace(clean_utf8(file.substr(kStatistics.size())), *count);
    } else if (!file.starts_with(kEcn) && known == nullptr) {
        return true;
    } else if (known != nullptr && !known->take(value, interface)) {
        return false;
    }
    reading.open_interface(name);
    if (file.starts_with(kEcn))
        return take_ecn_file(file.substr(kEcn.size()), value, reading.interface());
    reading.add(interface);
    return true;
}

bool take_file(const FilePath& path, std::string_view file, std::string_view value, RdmaReading& reading) {
    if (path.is_rdma) {
        reading.open_device(path.name);
        return take_device(file, value, reading);
    }
    return take_interface(path.name, file, value, reading);
}

/// "state: 4: ACTIVE", "rate: 5 Gb/sec (1X DDR)": files named without their folder.
bool take_bare_file(std::string_view line, RdmaReading& reading) {
    const auto pair = key_and_value(line);
    if (!pair)
        return false;
    const std::string_view value = pair->second;
    const bool numbered = value.size() > 3 && value[0] >= '0' && value[0] <= '9' && value.substr(1, 2) == ": ";
    const bool is_state = (pair->first == "state" || pair->first == "phys_state") && numbered;
    const bool is_rate = pair->first == "rate" && value.find(" Gb/sec (") != std::string_view::npos;
    return (is_state || is_rate) && take_port(pair->first, value, reading);
}

/// "8.0 GT/s PCIe x16 link" and, before 5.x, "8 GT/s x16 link".
bool take_link(std::string_view text, std::optional<double>& gt_s, std::optional<int>& width) {
    const std::size_t unit = text.find(" GT/s");
    const std::size_t lanes = text.find(" x");
    const auto speed = unit == std::string_view::npos ? std::nullopt : parse_real(text.substr(0, unit));
    if (!speed || !(*speed > 0 && *speed < 1000) || lanes == std::string_view::npos)
        return false;
    const std::string_view number = text.substr(lanes + 2);
    width = whole_number(number.substr(0, number.find(' ')), 1, 32);
    if (width)
        gt_s = speed;
    return width.has_value();
}

/// The PCI address in front of ": TEXT", and the driver before it.
std::optional<std::pair<std::string_view, std::string_view>> who_says(std::string_view before) {
    if (!before.ends_with(": "))
        return std::nullopt;
    before.remove_suffix(2);
    const std::size_t blank = before.find_last_of(" \t") + 1;
    const std::string_view address = before.substr(blank);
    const std::string_view rest = trim(before.substr(0, blank));
    if (!is_pci_address(address))
        return std::nullopt;
    return std::pair{address, rest.substr(rest.find_last_of(" \t") + 1)};
}

/// pcie_print_link_status(): "63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0001:42:01.0
/// (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)", or "... bandwidth (8.0 GT/s PCIe x16 link)" when not
/// limited.
bool take_bandwidth(std::string_view address, std::string_view text, RdmaReading& reading) {
    PciDevice card;
    card.address = std::string(address);
    const auto whole = between(text, "available PCIe bandwidth (", ")");
    if (whole) {
        if (!take_link(*whole, card.link.capable_gt_s, card.link.capable_width))
            return false;
        card.link.current_gt_s = card.link.capable_gt_s;
        card.link.current_width = card.link.capable_width;
        reading.add(card);
        return true;
    }
    const auto limit = between(text, "limited by ", " at ");
    const auto place = between(text, " link at ", " (");
    const auto capable = between(text, "Gb/s with ", ")");
    PciDevice brake;
    if (!limit || !place || !is_pci_address(*place) || !capable ||
        !take_link(*limit, brake.link.current_gt_s, brake.link.current_width) ||
        !take_link(*capable, card.link.capable_gt_s, card.link.capable_width))
        return false;
    brake.address = std::string(*place);
    reading.add(brake);
    reading.add(card);
    return true;
}

}  // namespace

bool open_sysfs(const RdmaLine& line, RdmaReading& reading) {
    const bool is_heading = line.text.starts_with("==> ") && line.text.ends_with(" <==");
    if (is_heading) {
        const std::string_view text = line.text.substr(4, line.text.size() - 8);
        reading.file = file_path(text) ? std::string(text) : std::string();
        return !reading.file.empty();
    }
    if (!reading.has_device() && take_bare_file(line.text, reading))
        return true;
    const auto path = file_path(line.text);
    const std::size_t colon = path ? path->file.find(':') : std::string_view::npos;
    return colon != std::string_view::npos &&
           take_file(*path, path->file.substr(0, colon), trim(path->file.substr(colon + 1)), reading);
}

bool read_sysfs(const RdmaLine& line, RdmaReading& reading) {
    if (reading.file.empty())
        return take_bare_file(line.text, reading);
    const std::string text = std::exchange(reading.file, "");  // one line a file
    const auto path = file_path(text);
    return path && take_file(*path, path->file, line.text, reading);
}

bool read_kernel_log(const RdmaLine& line, RdmaReading& reading) {
    constexpr std::string_view kFirmware = "firmware version: ", kBandwidth = " Gb/s available PCIe bandwidth";
    if (const std::size_t at = line.text.find(kFirmware); at != std::string_view::npos) {
        const auto who = who_says(line.text.substr(0, at));
        if (!who)
            return false;
        NetInterface interface;
        interface.pci_address = std::string(who->first);
        interface.driver = clean_utf8(who->second);
        interface.firmware = clean_utf8(trim(line.text.substr(at + kFirmware.size())));
        reading.begin_command("", "");
        reading.add(interface);
        return true;
    }
    const std::size_t at = line.text.find(kBandwidth);
    if (at == std::string_view::npos)
        return false;
    const std::size_t number = line.text.substr(0, at).find_last_of(' ');
    const auto who = number == std::string_view::npos ? std::nullopt : who_says(line.text.substr(0, number + 1));
    return who && take_bandwidth(who->first, line.text.substr(at), reading);
}

}  // namespace gpuadapt::ingest

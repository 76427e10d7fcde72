// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/rdma_texts.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <fmt/format.h>

/// /sys/class/infiniband (Documentation/ABI/stable/sysfs-class-infiniband).
namespace gpuadapt {

namespace {

RdmaPort probe_port(Root& root, const std::string& folder, int number) {
    RdmaPort port;
    port.number = number;
    if (const auto state = root.read_line(folder + "state"))
        port.state = parse_port_state(*state);
    port.link_layer = root.read_line(folder + "link_layer");
    if (const auto rate = root.read_line(folder + "rate"))
        port.rate_gbit_s = parse_port_rate(*rate);
    return port;
}

RdmaDevice probe_rdma_device(Root& root, const std::string& name) {
    const std::string folder = "/sys/class/infiniband/" + name + "/";
    RdmaDevice result;
    result.name = clean_utf8(name);
    result.firmware = root.read_line(folder + "fw_ver");
    result.board_id = root.read_line(folder + "board_id");
    result.model = root.read_line(folder + "hca_type");
    if (const auto place = root.link("/sys/class/infiniband/" + name))
        result.pci_address = last_pci_address(*place);
    if (!result.pci_address)
        if (const auto device = root.link(folder + "device"))
            result.pci_address = last_pci_address(*device);
    if (result.pci_address)
        result.numa_node = read_int(root, "/sys/bus/pci/devices/" + *result.pci_address + "/numa_node");
    for (const auto& [number, port] : numbered(root.list(folder + "ports").value_or(std::vector<std::string>{}), ""))
        result.ports.push_back(probe_port(root, fmt::format("{}ports/{}/", folder, port), number));
    return result;
}

}  // namespace

std::optional<std::string> parse_port_state(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = trim(text.substr(colon == std::string_view::npos ? 0 : colon + 1));
    return name.empty() ? std::nullopt : std::optional(clean_utf8(name));
}

std::optional<double> parse_port_rate(std::string_view text) {
    const std::size_t unit = text.find(" Gb/sec");
    if (unit == std::string_view::npos)
        return std::nullopt;
    const auto rate = parse_real(text.substr(0, unit));
    return rate && *rate >= 0 && *rate < 1e6 ? rate : std::nullopt;
}

void probe_rdma(Root& root, Machine& machine) {
    for (const std::string& name : root.list("/sys/class/infiniband").value_or(std::vector<std::string>{}))
        if (root.exists("/sys/class/infiniband/" + name + "/ports"))
            machine.rdma_devices.push_back(probe_rdma_device(root, name));
}

}  // namespace gpuadapt

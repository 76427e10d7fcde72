// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/cpu_topology.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

/// /sys/devices/system/node (Documentation/ABI/stable/sysfs-devices-node). A kernel without NUMA has no such folder.
namespace gpuadapt {

namespace {

/// "Node 0 MemTotal:  131072 kB"
std::optional<std::int64_t> node_memory(std::string_view meminfo) {
    for (const std::string_view line : split_lines(meminfo)) {
        const auto pair = split_pair(line, ':');
        if (pair && pair->first.ends_with(" MemTotal"))
            return parse_kilobytes(pair->second);
    }
    return std::nullopt;
}

std::vector<int> parse_distances(std::string_view text) {
    std::vector<int> distances;
    text = trim(text);
    while (!text.empty()) {
        const std::size_t blank = text.find(' ');
        const auto distance = parse_int(text.substr(0, blank));
        if (!distance)
            return {};
        distances.push_back(*distance);
        text = blank == std::string_view::npos ? "" : trim(text.substr(blank));
    }
    return distances;
}

/// The socket of a node's first CPU.
std::optional<int> package_of(Root& root, std::string_view cpulist) {
    const auto cpus = parse_cpu_list(cpulist);
    if (!cpus || cpus->empty())
        return std::nullopt;
    const auto package = read_int(root, cpu_folder(cpus->front()) + "topology/physical_package_id");
    return package && *package >= 0 ? package : std::nullopt;
}

}  // namespace

void probe_numa(Root& root, Machine& machine) {
    const std::string nodes = "/sys/devices/system/node/";
    for (const auto& [number, name] : numbered(root.list(nodes).value_or(std::vector<std::string>{}), "node")) {
        const std::string folder = nodes + name + "/";
        NumaNode node;
        node.id = number;
        // Empty for a node without CPUs, so not by read_line().
        if (const auto cpus = root.read(folder + "cpulist"))
            node.cpus = clean_utf8(trim(*cpus));
        node.package = package_of(root, node.cpus.value_or(""));
        node.memory_bytes = node_memory(root.read(folder + "meminfo").value_or(""));
        node.distances = parse_distances(root.read_line(folder + "distance").value_or(""));
        machine.numa_nodes.push_back(std::move(node));
    }
}

}  // namespace gpuadapt

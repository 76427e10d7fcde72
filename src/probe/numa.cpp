// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/cpu_topology.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <cstdint>

#include <fmt/format.h>

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

/// List format of a mask ("00000000,0000003f"), the only form that old kernels and some dumps have.
std::optional<std::string> cpus_of_mask(std::string_view mask) {
    constexpr std::size_t kMostDigits = 65536 / 4;
    std::string digits;
    for (const char c : trim(mask))
        if (c != ',')
            digits += c;
    if (digits.empty() || digits.size() > kMostDigits)
        return std::nullopt;
    std::string list;
    std::size_t first = 0;
    bool inside = false;
    for (std::size_t cpu = 0; cpu <= digits.size() * 4; ++cpu) {
        const bool end = cpu == digits.size() * 4;
        const auto digit = end ? std::optional<std::int64_t>(0)
                               : parse_hex(std::string_view(digits).substr(digits.size() - 1 - cpu / 4, 1));
        if (!digit)
            return std::nullopt;
        const bool set = (*digit >> cpu % 4 & 1) != 0;
        if (set && !inside)
            first = cpu;
        if (!set && inside)
            list += fmt::format("{}{}{}", list.empty() ? "" : ",", first,
                                cpu - 1 > first ? fmt::format("-{}", cpu - 1) : "");
        inside = set;
    }
    return list;
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
            node.cpus = trim(clean_utf8(*cpus));  // some kernels end it with "\n\0"
        else if (const auto mask = root.read(folder + "cpumap"))
            node.cpus = cpus_of_mask(*mask);
        node.package = package_of(root, node.cpus.value_or(""));
        node.memory_bytes = node_memory(root.read(folder + "meminfo").value_or(""));
        node.distances = parse_distances(root.read_line(folder + "distance").value_or(""));
        machine.numa_nodes.push_back(std::move(node));
    }
}

}  // namespace gpuadapt

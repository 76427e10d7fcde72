// SPDX-License-Identifier: Apache-2.0
#include "core/topology_parts.hpp"

#include <gpuadapt/core/topology.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace gpuadapt {
namespace {

/// Ends that are GPUs, below each node.
std::vector<std::vector<std::size_t>> gpus_below(const Topology& topology) {
    std::vector<std::vector<std::size_t>> below(topology.nodes.size());
    for (std::size_t end = 0; end < topology.gpu_count; ++end)
        for (std::optional<std::size_t> at = topology.ends[end].node; at; at = topology.nodes[*at].parent)
            below[*at].push_back(end);
    return below;
}

void add_uplinks(Topology& topology) {
    const auto below = gpus_below(topology);
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
        if (topology.nodes[i].kind != TopologyKind::bridge || below[i].empty())
            continue;
        Uplink uplink;
        uplink.bridge = i;
        uplink.gpus = below[i];
        uplink.uplink_gbyte_s = topology.nodes[i].gbyte_s;
        uplink.gpu_gbyte_s = 0;
        for (const std::size_t end : below[i]) {
            const auto& link = topology.nodes[*topology.ends[end].node].gbyte_s;
            uplink.gpu_gbyte_s = link && uplink.gpu_gbyte_s ? std::optional(*uplink.gpu_gbyte_s + *link) : std::nullopt;
        }
        if (uplink.gpu_gbyte_s && uplink.uplink_gbyte_s)
            uplink.ratio = *uplink.gpu_gbyte_s / *uplink.uplink_gbyte_s;
        topology.uplinks.push_back(std::move(uplink));
    }
}

Bottleneck bottleneck_of(const Topology& topology, std::size_t gpu) {
    Bottleneck result{gpu, std::nullopt, std::nullopt};
    const auto& node = topology.ends[gpu].node;
    if (!node || !topology::root_complex_of(topology, *node))
        return result;
    for (std::size_t at = *node; topology.nodes[at].kind != TopologyKind::root_complex;
         at = *topology.nodes[at].parent) {
        const auto& link = topology.nodes[at].gbyte_s;
        if (!link)
            return {gpu, std::nullopt, std::nullopt};
        if (!result.gbyte_s || *link < *result.gbyte_s) {
            result.below = at;
            result.gbyte_s = link;
        }
    }
    return result;
}

/// One whose class is not known may be the nearest, unless there is one behind the same switch.
Rail rail_of(const Topology& topology, std::size_t gpu) {
    Rail rail{gpu, LinkClass::unknown, {}};
    bool unknown = false;
    for (std::size_t nic = topology.gpu_count; nic < topology.ends.size(); ++nic) {
        const LinkClass kind = topology.links[gpu][nic].kind;
        unknown = unknown || kind == LinkClass::unknown;
        if (kind == LinkClass::unknown || kind > rail.kind)
            continue;
        if (kind < rail.kind)
            rail.nics.clear();
        rail.kind = kind;
        rail.nics.push_back(nic);
    }
    return unknown && rail.kind != LinkClass::pix ? Rail{gpu, LinkClass::unknown, {}} : rail;
}

std::string_view class_name(LinkClass kind) {
    switch (kind) {
        case LinkClass::self:
            return "X";
        case LinkClass::nvlink:
            return "NV";
        case LinkClass::metaxlink:
            return "MX";
        case LinkClass::xgmi:
            return "XGMI";
        case LinkClass::pix:
            return "PIX";
        case LinkClass::pxb:
            return "PXB";
        case LinkClass::dual:
            return "DUAL";
        case LinkClass::phb:
            return "PHB";
        case LinkClass::node:
            return "NODE";
        case LinkClass::sys:
            return "SYS";
        case LinkClass::unknown:
            break;
    }
    return "?";
}

}  // namespace

std::string link_code(const PairLink& link) {
    std::string code(class_name(link.kind));
    if (link.links && (link.kind == LinkClass::nvlink || (link.kind == LinkClass::metaxlink && *link.links > 1)))
        code += std::to_string(*link.links);
    const bool by_tree = link.kind == LinkClass::phb || link.kind == LinkClass::node || link.kind == LinkClass::sys;
    return by_tree && !link.one_chip ? code + "?" : code;
}

Topology topology_of(const Machine& machine) {
    Topology topology;
    topology::add_tree(machine, topology);
    topology::add_links(machine, topology);
    add_uplinks(topology);
    for (std::size_t gpu = 0; gpu < topology.gpu_count; ++gpu) {
        topology.bottlenecks.push_back(bottleneck_of(topology, gpu));
        topology.rails.push_back(rail_of(topology, gpu));
    }
    return topology;
}

bool is_direct(LinkClass kind) {
    return kind == LinkClass::nvlink || kind == LinkClass::metaxlink || kind == LinkClass::xgmi;
}

std::vector<std::vector<std::size_t>> direct_islands(const Topology& topology) {
    std::vector<std::vector<std::size_t>> islands;
    std::vector<bool> seen(topology.gpu_count, false);
    for (std::size_t start = 0; start < topology.gpu_count; ++start) {
        if (seen[start])
            continue;
        seen[start] = true;
        std::vector<std::size_t> island = {start};
        for (std::size_t i = 0; i < island.size(); ++i)
            for (std::size_t other = 0; other < topology.gpu_count; ++other) {
                if (seen[other] || !is_direct(topology.links[island[i]][other].kind))
                    continue;
                seen[other] = true;
                island.push_back(other);
            }
        std::sort(island.begin(), island.end());
        if (island.size() > 1)
            islands.push_back(std::move(island));
    }
    return islands;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_merge.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kMostDisagreements = 100;
constexpr std::size_t kMostNames = 256;

/// Fills the facts of one thing, named `subject` where it has to be told what disagrees.
class Filler {
  public:
    Filler(std::string subject, std::vector<std::string>& disagreements)
        : subject_(std::move(subject)), disagreements_(disagreements) {}

    template <typename Value>
    void fill(std::string_view fact, const std::optional<Value>& from, std::optional<Value>& into) {
        if (from && !into)
            into = from;
        else if (from && into != from)
            tell(fact, fmt::format("{}", *into), fmt::format("{}", *from));
    }

    template <typename Value>
    void fill(std::string_view fact, const std::map<std::string, Value>& from, std::map<std::string, Value>& into) {
        for (const auto& [key, value] : from)
            if (const auto [place, added] = into.emplace(key, value); !added && place->second != value)
                tell(fmt::format("{} {}", fact, key), fmt::format("{}", place->second), fmt::format("{}", value));
    }

    /// A list without order, such as the interfaces of a device: more of them are no contradiction. A device has a few;
    /// a text may name any number.
    static void fill(const std::vector<std::string>& from, std::vector<std::string>& into) {
        for (const std::string& name : from)
            if (into.size() < kMostNames && std::find(into.begin(), into.end(), name) == into.end())
                into.push_back(name);
    }

    [[nodiscard]] Filler below(std::string_view name) const {
        return {fmt::format("{} {}", subject_, name), disagreements_};
    }

    void tell(std::string_view fact, std::string_view first, std::string_view second) {
        if (disagreements_.size() < kMostDisagreements)
            disagreements_.push_back(fmt::format("{} {}: {}, {}", subject_, fact, first, second));
    }

  private:
    std::string subject_;
    std::vector<std::string>& disagreements_;
};

void merge_gid(const RdmaGid& from, RdmaGid& into, Filler filler) {
    if (into.gid.empty())
        into.gid = from.gid;
    else if (!from.gid.empty() && from.gid != into.gid)
        return filler.tell("gid", into.gid, from.gid);  // the rest describes another GID
    filler.fill("type", from.type, into.type);
    filler.fill("interface", from.interface, into.interface);
}

void merge_port(const RdmaPort& from, RdmaPort& into, Filler filler) {
    filler.fill("state", from.state, into.state);
    filler.fill("phys_state", from.phys_state, into.phys_state);
    filler.fill("link_layer", from.link_layer, into.link_layer);
    filler.fill("rate_gbit_s", from.rate_gbit_s, into.rate_gbit_s);
    filler.fill("width", from.width, into.width);
    filler.fill("mtu_bytes", from.mtu_bytes, into.mtu_bytes);
    filler.fill("max_mtu_bytes", from.max_mtu_bytes, into.max_mtu_bytes);
    filler.fill("lid", from.lid, into.lid);
    filler.fill("sm_lid", from.sm_lid, into.sm_lid);
    filler.fill("counter", from.counters, into.counters);
    for (const RdmaGid& gid : from.gids) {
        const auto place = std::lower_bound(into.gids.begin(), into.gids.end(), gid.index,
                                            [](const RdmaGid& known, int index) { return known.index < index; });
        if (place == into.gids.end() || place->index != gid.index)
            into.gids.insert(place, gid);
        else
            merge_gid(gid, *place, filler.below(fmt::format("GID {}", gid.index)));
    }
}

}  // namespace

void merge(const RdmaDevice& from, RdmaDevice& into, std::vector<std::string>& disagreements) {
    Filler filler(into.name.empty() ? "RDMA device" : into.name, disagreements);
    filler.fill("pci_address", from.pci_address, into.pci_address);
    filler.fill("firmware", from.firmware, into.firmware);
    filler.fill("board_id", from.board_id, into.board_id);
    filler.fill("model", from.model, into.model);
    filler.fill("node_guid", from.node_guid, into.node_guid);
    filler.fill("node_type", from.node_type, into.node_type);
    filler.fill("driver", from.driver, into.driver);
    filler.fill("numa_node", from.numa_node, into.numa_node);
    Filler::fill(from.interfaces, into.interfaces);
    for (const RdmaPort& port : from.ports) {
        const auto same = std::find_if(into.ports.begin(), into.ports.end(), [&](const RdmaPort& known) {
            return known.number == port.number || (port.number == 0 && into.ports.size() == 1);
        });
        if (same != into.ports.end()) {
            merge_port(port, *same, filler.below(fmt::format("port {}", same->number)));
            continue;
        }
        const auto place = std::find_if(into.ports.begin(), into.ports.end(),
                                        [&](const RdmaPort& known) { return known.number > port.number; });
        into.ports.insert(place, port);
    }
}

void merge(const NetInterface& from, NetInterface& into, std::vector<std::string>& disagreements) {
    Filler filler(into.name.empty() ? "interface" : into.name, disagreements);
    filler.fill("mac", from.mac, into.mac);
    filler.fill("state", from.state, into.state);
    filler.fill("driver", from.driver, into.driver);
    filler.fill("pci_address", from.pci_address, into.pci_address);
    filler.fill("kind", from.kind, into.kind);
    filler.fill("mtu", from.mtu, into.mtu);
    filler.fill("speed_mbit_s", from.speed_mbit_s, into.speed_mbit_s);
    filler.fill("numa_node", from.numa_node, into.numa_node);
    filler.fill("virtual_device", from.virtual_device, into.virtual_device);
    filler.fill("port_name", from.port_name, into.port_name);
    filler.fill("master", from.master, into.master);
    filler.fill("bond_mode", from.bond_mode, into.bond_mode);
    filler.fill("firmware", from.firmware, into.firmware);
    filler.fill("qos", from.qos, into.qos);
    filler.fill("counter", from.counters, into.counters);
    filler.fill("transceiver", from.transceiver, into.transceiver);
    Filler::fill(from.lower, into.lower);
}

}  // namespace gpuadapt::ingest

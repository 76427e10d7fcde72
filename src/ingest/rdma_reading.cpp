// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_reading.hpp"

#include "ingest/rdma_merge.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kMostLinesKept = 100;
constexpr std::size_t kLongestLineKept = 200;

/// The entry that is open, or a new one.
template <typename Entry>
Entry& open_entry(std::vector<Entry>& entries, std::optional<std::size_t>& open, const std::string& name) {
    if (!open) {
        open = entries.size();
        entries.emplace_back().name = name;
    }
    return entries[*open];
}

template <typename Entry>
void add_fact(const Entry& fact, Entry& entry, std::vector<Entry>& entries, std::optional<std::size_t>& open,
              std::vector<std::string>& disagreements) {
    if (!entry.name.empty())
        return merge(fact, entry, disagreements);
    std::vector<std::string> problems;
    merge(fact, entry, problems);
    if (problems.empty())
        return;
    open = entries.size();
    entries.push_back(fact);
}

/// Entries of one name are made one, in the order in which they came; those without a name stay.
template <typename Entry, typename IsLate>
void unite(std::vector<Entry>& entries, std::vector<std::string>& disagreements, IsLate is_late) {
    std::stable_partition(entries.begin(), entries.end(), [&](const Entry& entry) { return !is_late(entry); });
    std::vector<Entry> united;
    std::map<std::string, std::size_t> places;
    for (Entry& entry : entries) {
        const auto [place, added] = places.emplace(entry.name, united.size());
        if (added || entry.name.empty())
            united.push_back(std::move(entry));
        else
            merge(entry, united[place->second], disagreements);
    }
    std::stable_sort(united.begin(), united.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    entries = std::move(united);
}

bool has_unnumbered_port(const RdmaDevice& device) {
    return std::any_of(device.ports.begin(), device.ports.end(), [](const RdmaPort& port) { return port.number == 0; });
}

/// A port that only its local id tells (perfquery), and the device whose port has that id.
void name_by_local_id(std::vector<RdmaDevice>& devices, std::vector<std::string>& disagreements) {
    std::map<std::pair<int, int>, std::vector<RdmaDevice*>> owners;
    for (RdmaDevice& device : devices)
        for (const RdmaPort& port : device.ports)
            if (!device.name.empty() && port.lid.value_or(0) != 0)
                owners[{*port.lid, port.number}].push_back(&device);
    const auto has_owner = [&](const RdmaDevice& device) {
        if (!device.name.empty() || device.ports.size() != 1)
            return false;
        const auto owner = owners.find({device.ports[0].lid.value_or(0), device.ports[0].number});
        if (owner == owners.end() || owner->second.size() != 1)
            return false;
        merge(device, *owner->second[0], disagreements);
        return true;
    };
    // Entries without a name come first: moving the others down would make the pointers wrong.
    std::vector<RdmaDevice> unnamed;
    const auto named =
        std::find_if(devices.begin(), devices.end(), [](const RdmaDevice& d) { return !d.name.empty(); });
    for (auto device = devices.begin(); device != named; ++device)
        if (!has_owner(*device))
            unnamed.push_back(*device);
    unnamed.insert(unnamed.end(), std::make_move_iterator(named), std::make_move_iterator(devices.end()));
    devices = std::move(unnamed);
}

/// GIDs of which only the type or the interface was there, as the attributes of an empty slot.
void drop_empty_gids(std::vector<RdmaDevice>& devices) {
    for (RdmaDevice& device : devices)
        for (RdmaPort& port : device.ports)
            std::erase_if(port.gids, [](const RdmaGid& gid) { return is_empty_gid(gid.gid); });
}

}  // namespace

void RdmaReading::open_device(std::string_view name) {
    ++added_;
    port_ = 0;
    if (device_ && facts_.devices[*device_].name == name)
        return;
    device_ = facts_.devices.size();
    facts_.devices.emplace_back().name = clean_utf8(name);
}

void RdmaReading::open_interface(std::string_view name) {
    ++added_;
    class_.reset();
    if (interface_ && facts_.interfaces[*interface_].name == name)
        return;
    interface_ = facts_.interfaces.size();
    facts_.interfaces.emplace_back().name = clean_utf8(name);
}

void RdmaReading::close_interface() {
    interface_.reset();
    class_.reset();
    driver.clear();
}

void RdmaReading::begin_command(std::string_view device, std::string_view interface) {
    close_interface();
    device_.reset();
    expected_device_ = clean_utf8(device);
    expected_interface_ = clean_utf8(interface);
    port_ = 0;
}

std::optional<int> RdmaReading::width() const {
    if (device_)
        for (const RdmaPort& port : facts_.devices[*device_].ports)
            if (port.number == port_)
                return port.width;
    return std::nullopt;
}

void RdmaReading::add(RdmaPort fact) {
    if (fact.number == 0)
        fact.number = port_;
    RdmaDevice device;
    device.ports.push_back(std::move(fact));
    add(device);
}

void RdmaReading::add(const RdmaDevice& fact) {
    ++added_;
    add_fact(fact, open_entry(facts_.devices, device_, expected_device_), facts_.devices, device_,
             facts_.disagreements);
}

void RdmaReading::add(const NetInterface& fact) {
    add_fact(fact, interface(), facts_.interfaces, interface_, facts_.disagreements);
}

void RdmaReading::add(const PciDevice& fact) {
    ++added_;
    facts_.pci_devices.push_back(fact);
}

NetInterface& RdmaReading::interface() {
    ++added_;
    return open_entry(facts_.interfaces, interface_, expected_interface_);
}

void RdmaReading::not_understood(std::string_view line) {
    ++facts_.not_understood_count;
    if (facts_.not_understood.size() < kMostLinesKept)
        facts_.not_understood.push_back(clean_utf8(line.substr(0, kLongestLineKept)));
}

RdmaState RdmaReading::finish() && {
    unite(facts_.devices, facts_.disagreements, has_unnumbered_port);
    unite(facts_.interfaces, facts_.disagreements, [](const NetInterface&) { return false; });
    name_by_local_id(facts_.devices, facts_.disagreements);
    drop_empty_gids(facts_.devices);
    std::stable_sort(facts_.pci_devices.begin(), facts_.pci_devices.end(),
                     [](const PciDevice& a, const PciDevice& b) { return a.address < b.address; });
    return std::move(facts_);
}

}  // namespace gpuadapt::ingest

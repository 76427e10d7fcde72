// SPDX-License-Identifier: Apache-2.0
#include "probe/from_texts.hpp"
#include "probe/pci_config.hpp"
#include "probe/pci_names.hpp"

#include <gpuadapt/core/merge.hpp>
#include <gpuadapt/ingest/lspci.hpp>

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

using ingest::LspciDetail;
using ingest::LspciDevice;

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kMostLayers = 8;

/// What the text says of a device at best.
struct Seen {
    LspciDetail detail = LspciDetail::tree;
    bool denied = false;
    std::size_t config_bytes = 0;
};

/// "0000:3a" of "0000:3a:01.0"
std::string bus_of(const std::string& address) {
    return address.substr(0, address.size() - 5);
}

/// The bus below a bridge, of its header.
std::optional<std::string> bus_below(const LspciDevice& found) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(found.config[at]); };
    if (found.config.size() < kHeaderBytes || (byte(0x0e) & 0x7f) != 1 || byte(0x19) == 0)
        return std::nullopt;
    const std::string& address = found.device.address;
    return fmt::format("{}{:02x}", address.substr(0, address.size() - 7), byte(0x19));
}

/// Bytes first: the text is made of them by a program that knew fewer registers.
PciDevice device_of(const LspciDevice& found, const std::string& name, Machine& machine) {
    if (found.config.size() < kHeaderBytes)
        return found.device;
    const PciFunction function{found.device.address.ends_with(":00.0"), false};
    PciConfig config = decode_pci_config(found.config, function);
    if (!config.answers) {
        machine.unread.push_back(
            {name, fmt::format("{}: all bits are set: the device does not answer", found.device.address)});
        return found.device;
    }
    if (config.damage)
        machine.unread.push_back({name, fmt::format("{}: {}", found.device.address, *config.damage)});
    Machine bytes, text;
    config.device.address = found.device.address;
    bytes.pci_devices = {std::move(config.device)};
    text.pci_devices = {found.device};
    for (const Difference& difference : merge(bytes, text))
        note_disagreement(machine, difference.path, difference.first, difference.second);
    return bytes.pci_devices[0];
}

/// The class with its lowest byte, where the text or the bytes tell it.
std::optional<int> whole_class(const LspciDevice& found) {
    const auto byte = [&](std::size_t at) { return static_cast<int>(static_cast<unsigned char>(found.config[at])); };
    if (found.config.size() >= kHeaderBytes)
        return byte(0x0b) << 16 | byte(0x0a) << 8 | byte(0x09);
    return found.detail >= LspciDetail::flags ? found.device.class_code : std::nullopt;
}

/// A plain list leaves the lowest byte out: where another place tells the whole class, that counts.
void drop_partial_classes(std::vector<LspciDevice>& devices) {
    std::map<std::string, int> classes;
    for (const LspciDevice& found : devices)
        if (const auto whole = whole_class(found))
            classes.emplace(found.device.address, *whole);
    for (LspciDevice& found : devices) {
        const auto whole = classes.find(found.device.address);
        if (found.detail == LspciDetail::line && whole != classes.end() && found.device.class_code &&
            *found.device.class_code >> 8 == whole->second >> 8)
            found.device.class_code.reset();
    }
}

void take_names(PciNames& names, PciDevice& device) {
    if (!device.vendor_name && device.vendor_id)
        device.vendor_name = names.vendor(*device.vendor_id);
    if (!device.device_name && device.vendor_id && device.device_id)
        device.device_name = names.device(*device.vendor_id, *device.device_id);
    if (!device.class_name && device.class_code)
        device.class_name = names.class_name(*device.class_code);
}

struct Note {
    bool (*applies)(const Seen& seen);
    std::string_view text;  ///< behind "of 3 devices"
};

/// What is not in the text, and what prints it.
constexpr Note kNotes[] = {
    {[](const Seen& seen) { return seen.denied; },
     "lspci was not allowed to read the capabilities: links and ACS are unknown; run it as root"},
    {[](const Seen& seen) { return seen.detail == LspciDetail::tree; },
     "only the place in the tree is told: class, link and ACS are unknown; lspci -D -nn -vvv as root "
     "prints them"},
    {[](const Seen& seen) { return seen.detail == LspciDetail::line && seen.config_bytes < kHeaderBytes; },
     "only the name is told: links and ACS are unknown; lspci -D -nn -vvv as root prints them"},
    {[](const Seen& seen) { return seen.detail == LspciDetail::flags && seen.config_bytes < kHeaderBytes; },
     "no registers are told: links and ACS are unknown; lspci -D -nn -vvv as root prints them"},
    {[](const Seen& seen) { return seen.detail == LspciDetail::registers && seen.config_bytes < kHeaderBytes; },
     "the bytes of the configuration space are not told; lspci -D -nn -vvv -xxxx as root prints them"},
    {[](const Seen& seen) { return seen.config_bytes >= kHeaderBytes && seen.config_bytes < 256; },
     "there are only the first 64 bytes of the configuration space (lspci -x): links and ACS are "
     "unknown; "
     "lspci -xxxx as root prints them"},
    {[](const Seen& seen) { return seen.config_bytes >= 256 && seen.config_bytes < 4096; },
     "there are only 256 bytes of the configuration space (lspci -xxx): in the bytes there is no ACS; "
     "lspci -xxxx as root prints them"},
};

void add_notes(const std::map<std::string, Seen>& devices, const std::string& name, Machine& machine) {
    for (const Note& note : kNotes) {
        const auto count = std::count_if(devices.begin(), devices.end(),
                                         [&](const auto& entry) { return note.applies(entry.second); });
        if (count > 0)
            machine.unread.push_back({name, fmt::format("of {} device{} {}", count, count == 1 ? "" : "s", note.text)});
    }
}

/// No machine has as much as that: the text is not what somebody meant to send.
void note_limits(std::size_t found, const std::map<std::string, std::size_t>& times, const std::string& name,
                 Machine& machine) {
    if (found >= ingest::kMostLspciDevices)
        machine.unread.push_back({name, fmt::format("only the first {} devices were read", found)});
    if (std::any_of(times.begin(), times.end(), [](const auto& entry) { return entry.second > kMostLayers; }))
        machine.unread.push_back({name, fmt::format("only the first {} outputs of lspci were read", kMostLayers)});
}

}  // namespace

bool machine_from_lspci(std::string_view, std::string_view text, const std::string& name, Machine& machine) {
    std::vector<LspciDevice> found = ingest::read_lspci(text);
    if (found.empty())
        return false;
    drop_partial_classes(found);
    // A device that is told of twice (in a list and in a tree) is in two layers, which are then put together.
    std::array<Machine, kMostLayers> layers;
    std::map<std::string, std::size_t> times;
    std::map<std::string, Seen> seen;
    std::map<std::string, std::string> bridges;
    for (const LspciDevice& device : found) {
        const std::string& address = device.device.address;
        if (const auto bus = bus_below(device))
            bridges.emplace(*bus, address);
        Seen& best = seen[address];
        best.detail = std::max(best.detail, device.detail);
        best.denied = best.denied || device.denied;
        best.config_bytes = std::max(best.config_bytes, device.config.size());
        if (!device.answers)
            machine.unread.push_back({name, fmt::format("{}: the device does not answer (rev ff)", address)});
        if (const std::size_t layer = times[address]++; layer < kMostLayers)
            layers[layer].pci_devices.push_back(device_of(device, name, machine));
    }
    for (const Machine& layer : layers)
        for (const Difference& difference : merge(machine, layer))
            note_disagreement(machine, difference.path, difference.first, difference.second);
    PciNames names;
    for (PciDevice& device : machine.pci_devices) {
        take_names(names, device);
        const auto bridge = bridges.find(bus_of(device.address));
        if (!device.parent && bridge != bridges.end() && bridge->second != device.address)
            device.parent = bridge->second;
    }
    add_notes(seen, name, machine);
    note_limits(found.size(), times, name, machine);
    return true;
}

}  // namespace gpuadapt

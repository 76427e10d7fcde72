// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/gpu_sources.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

/// Display controllers, processing accelerators and co-processors (PCI Code and ID Assignment Specification, 1).
bool is_gpu_class(int class_code) {
    const int base = class_code >> 16;
    return base == 0x03 || base == 0x12 || class_code >> 8 == 0x0b40;
}

void find_gpus(Machine& machine) {
    for (const PciDevice& device : machine.pci_devices) {
        if (!device.class_code || !device.vendor_id || !is_gpu_class(*device.class_code))
            continue;
        const auto vendors = gpu_vendors();
        const auto vendor = std::find_if(vendors.begin(), vendors.end(),
                                         [&](const GpuVendor& row) { return row.pci_id == *device.vendor_id; });
        if (vendor == vendors.end())
            continue;
        Gpu gpu;
        gpu.address = device.address;
        gpu.vendor = vendor->id;
        gpu.model = device.device_name;
        for (const GpuChip& chip : vendor->chips)
            if (!gpu.model && chip.device_id == device.device_id)
                gpu.model = chip.model;
        machine.gpus.push_back(std::move(gpu));
    }
}

/// Verbatim; only what is no UTF-8 cannot be kept in a record.
std::string kept_text(const std::string& text) {
    if (is_utf8(text))
        return text;
    std::string kept;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        kept += clean_utf8(rest.substr(0, end));
        kept += end == std::string_view::npos ? "" : "\n";
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return kept;
}

}  // namespace

void probe_gpu(Root& root, Machine& machine) {
    find_gpus(machine);
    for (const GpuVendor* vendor : present_vendors(machine)) {
        Machine facts = library_facts(root, *vendor);
        if (facts.gpus.empty()) {
            Machine second = tool_facts(root, *vendor);
            second.versions.merge(facts.versions);
            second.unread.insert(second.unread.begin(), facts.unread.begin(), facts.unread.end());
            facts = std::move(second);
        }
        merge_gpu_facts(machine, facts);
        for (const Unread& note : facts.unread)
            root.note_unread(note.path, note.reason);
    }
}

void probe_gpu_topology(Root& root, Machine& machine) {
    for (const GpuVendor* vendor : present_vendors(machine)) {
        const CommandResult result = run_gpu_tool(root, *vendor, vendor->topology);
        if (result.status == CommandStatus::not_found)
            continue;
        const std::string tool = fmt::format("{} {}", vendor->programs.front(), vendor->topology);
        if (!result.ok()) {
            root.note_unread(tool, failure_of(result));
            continue;
        }
        machine.vendor_topology.push_back({tool, kept_text(result.output), {}, {}, {}});
    }
}

}  // namespace gpuadapt

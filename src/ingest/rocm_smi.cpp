// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_facts.hpp"

#include <gpuadapt/ingest/rocm_smi.hpp>

#include <algorithm>

namespace gpuadapt::ingest {

namespace {

/// Newer words before older ones.
constexpr SmiFact kFacts[] = {
    {"card_series", take_text<&Gpu::model>},
    {"device_name", take_text<&Gpu::model>},
    {"card_model", take_text<&Gpu::model>},
    {"unique_id", take_text<&Gpu::uuid>},
    {"serial_number", take_text<&Gpu::serial>},
    {"card_sku", take_text<&Gpu::part_number>},
    {"vbios_version", take_text<&Gpu::vbios>},
    {"vram_total_memory_b", take_bytes<&Gpu::memory_bytes>},
    {"vram_total_used_memory_b", take_bytes<&Gpu::memory_used_bytes>},
    {"temperature_sensor_junction_c", take_number<&Gpu::temperature_c>},
    {"temperature_sensor_edge_c", take_number<&Gpu::temperature_c>},
    {"current_socket_graphics_package_power_w", take_number<&Gpu::power_w>},
    {"average_graphics_package_power_w", take_number<&Gpu::power_w>},
    {"max_graphics_package_power_w", take_number<&Gpu::power_limit_w>},
};

}  // namespace

bool looks_like_rocm_smi(std::string_view text) {
    return text.find("\"card0\"") != std::string_view::npos && text.find("\"PCI Bus\"") != std::string_view::npos;
}

Machine read_rocm_smi(std::string_view text) {
    Machine facts;
    for (const SmiDevice& device : read_smi_json(text).devices) {
        if (device.head == "system")
            if (const auto driver = value_at(device.values, "driver_version"))
                facts.versions["driver"] = {*driver, std::nullopt};
        const auto bus = value_at(device.values, "pci_bus");
        const auto address = bus ? pci_address_in(*bus) : std::nullopt;
        if (!address || !device.head.starts_with("card"))
            continue;
        Gpu gpu;
        gpu.address = *address;
        gpu.vendor = "amd";
        take_count<&Gpu::index>(gpu, std::string_view(device.head).substr(4));
        take_facts(device.values, kFacts, gpu);
        facts.gpus.push_back(std::move(gpu));
    }
    std::stable_sort(facts.gpus.begin(), facts.gpus.end(),
                     [](const Gpu& a, const Gpu& b) { return a.address < b.address; });
    return facts;
}

}  // namespace gpuadapt::ingest

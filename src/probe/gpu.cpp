// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"

#include <algorithm>
#include <string_view>

namespace gpuadapt {

namespace {

struct GpuVendor {
    int pci_id;
    std::string_view id;
};

constexpr GpuVendor kGpuVendors[] = {{0x9999, "metax"}, {0x10de, "nvidia"}, {0x1002, "amd"}};

/// Display controllers, processing accelerators and co-processors (PCI Code and ID Assignment Specification, 1).
bool is_gpu_class(int class_code) {
    const int base = class_code >> 16;
    return base == 0x03 || base == 0x12 || class_code >> 8 == 0x0b40;
}

}  // namespace

void probe_gpu(Root&, Machine& machine) {
    for (const PciDevice& device : machine.pci_devices) {
        if (!device.class_code || !device.vendor_id || !is_gpu_class(*device.class_code))
            continue;
        const auto* const vendor = std::find_if(std::begin(kGpuVendors), std::end(kGpuVendors),
                                                [&](const GpuVendor& row) { return row.pci_id == *device.vendor_id; });
        if (vendor == std::end(kGpuVendors))
            continue;
        Gpu gpu;
        gpu.address = device.address;
        gpu.vendor = vendor->id;
        gpu.model = device.device_name;
        machine.gpus.push_back(std::move(gpu));
    }
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu_sources.hpp"

namespace gpuadapt {

std::span<const GpuVendor> gpu_vendors() {
    static const GpuVendor kVendors[] = {
        {0x9999, "metax", "mxsml", {"mx-smi", "/opt/mxdriver/bin/mx-smi", "/opt/maca/bin/mx-smi"}, {}, {"topo", "-m"}},
        {0x10de, "nvidia", "nvml", {"nvidia-smi"}, {}, {"topo", "-m"}},
        {0x1002, "amd", "", {"rocm-smi", "/opt/rocm/bin/rocm-smi"}, {}, {"--showtopo"}},
    };
    return kVendors;
}

}  // namespace gpuadapt

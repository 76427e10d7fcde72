// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu_sources.hpp"

#include <gpuadapt/ingest/mx_smi.hpp>
#include <gpuadapt/ingest/nvidia_smi.hpp>
#include <gpuadapt/ingest/rocm_smi.hpp>

namespace gpuadapt {

std::span<const GpuVendor> gpu_vendors() {
    static const GpuVendor kVendors[] = {
        {.pci_id = 0x9999,
         .id = "metax",
         .chips = {{0x4000, "MetaX C550"},
                   {0x4001, "MetaX C500"},
                   {0x4080, "MetaX C290"},
                   {0x4081, "MetaX C280"},
                   {0x4083, "MetaX N260"}},
         .library = "mxsml",
         .programs = {"mx-smi", "/opt/mxdriver/bin/mx-smi", "/opt/maca/bin/mx-smi"},
         .questions = {"-L", "--summary", "--show-hwinfo", "--show-ecc-state", "--count-ecc", "--show-clk-tr",
                       "--show-process"},
         .read = ingest::read_mx_smi,
         .topology = "topo -m"},
        {.pci_id = 0x10de,
         .id = "nvidia",
         .chips = {},
         .library = "nvml",
         .programs = {"nvidia-smi"},
         .questions = {"-q -x"},
         .read = ingest::read_nvidia_smi,
         .topology = "topo -m"},
        {.pci_id = 0x1002,
         .id = "amd",
         .chips = {},
         .library = "",
         .programs = {"rocm-smi", "/opt/rocm/bin/rocm-smi"},
         .questions = {"--showproductname --showbus --showuniqueid --showserial --showvbios --showdriverversion "
                       "--showmeminfo vram --showtemp --showpower --showmaxpower --json"},
         .read = ingest::read_rocm_smi,
         .topology = "--showtopo"},
    };
    return kVendors;
}

}  // namespace gpuadapt

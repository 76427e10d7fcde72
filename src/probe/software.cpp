// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/system_texts.hpp"

#include <gpuadapt/core/text.hpp>

#include <string_view>

namespace gpuadapt {

namespace {

/// Kernel modules whose version a reader wants to know. In-tree modules mostly have none.
constexpr std::string_view kModules[] = {
    "nvidia",  "nvidia_peermem", "nvidia_fs", "gdrdrv", "metax", "mxgvm", "amdgpu", "mlx5_core",      "mlx5_ib",
    "ib_core", "bnxt_en",        "bnxt_re",   "irdma",  "ice",   "i40e",  "hns3",   "hns_roce_hw_v2", "efa",
};

/// GPU drivers by vendor id of the GPUs; their version is "driver" too.
struct GpuDriver {
    std::string_view vendor, module;
};
constexpr GpuDriver kGpuDrivers[] = {{"metax", "metax"}, {"nvidia", "nvidia"}, {"amd", "amdgpu"}};

void take_driver(Machine& machine) {
    for (const Gpu& gpu : machine.gpus)
        for (const GpuDriver& row : kGpuDrivers) {
            const auto version = machine.versions.find(std::string(row.module));
            if (row.vendor == gpu.vendor && version != machine.versions.end()) {
                machine.versions.emplace("driver", version->second);
                return;
            }
        }
}

}  // namespace

void probe_versions(Root& root, Machine& machine) {
    const auto keep = [&](std::string_view name, const std::optional<std::string>& version) {
        if (version)
            machine.versions.emplace(name, *version);
    };
    for (const std::string_view module : kModules)
        keep(module, root.read_line("/sys/module/" + std::string(module) + "/version"));
    keep("MACA", parse_version_line(root.read("/opt/maca/Version.txt").value_or("")));
    keep("CUDA", parse_cuda_version(root.read("/usr/local/cuda/version.json").value_or("")));
    keep("CUDA", parse_version_line(root.read("/usr/local/cuda/version.txt").value_or("")));
    keep("ROCm", parse_version_line(root.read("/opt/rocm/.info/version").value_or("")));
    take_driver(machine);
}

void probe_environment(Root& root, Machine& machine) {
    machine.environment = root.environment();
}

}  // namespace gpuadapt

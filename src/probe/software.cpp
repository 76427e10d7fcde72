// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/system_texts.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

struct Module {
    std::string_view name;
    bool has_parameters;  ///< worth reading: drivers of GPUs and network cards
};

/// Kernel modules that matter here. Those of the kernel itself mostly have no version.
constexpr Module kModules[] = {
    {"metax", true},
    {"mxcd", true},
    {"mxgvm", true},
    {"nvidia", true},
    {"nvidia_uvm", true},
    {"nvidia_drm", false},
    {"nvidia_peermem", true},
    {"nv_peer_mem", true},
    {"nvidia_fs", false},
    {"gdrdrv", true},
    {"amdgpu", true},
    {"nouveau", false},
    {"vfio_pci", false},
    {"ib_core", true},
    {"ib_uverbs", false},
    {"ib_umad", false},
    {"ib_ipoib", false},
    {"rdma_cm", false},
    {"rdma_ucm", false},
    {"rdma_rxe", false},
    {"mlx5_core", true},
    {"mlx5_ib", true},
    {"mlx4_core", true},
    {"mlx4_ib", true},
    {"bnxt_en", true},
    {"bnxt_re", true},
    {"irdma", true},
    {"ice", true},
    {"i40e", true},
    {"ionic", true},
    {"hns3", true},
    {"hns_roce_hw_v2", true},
    {"hinic3", true},
    {"hfi1", true},
    {"efa", true},
    {"erdma", true},
    {"knem", false},
    {"xpmem", false},
    {"switch_discovery", false},
};

/// GPU drivers by vendor id of the GPUs; their version is "driver" too.
struct GpuDriver {
    std::string_view vendor, module;
};
constexpr GpuDriver kGpuDrivers[] = {{"metax", "metax"}, {"nvidia", "nvidia"}, {"amd", "amdgpu"}};

KernelModule read_module(Root& root, const Module& row) {
    const std::string folder = fmt::format("/sys/module/{}", row.name);
    KernelModule module;
    module.name = row.name;
    module.version = root.read_line(folder + "/version");
    if (!row.has_parameters)
        return module;
    for (const std::string& name : root.list(folder + "/parameters").value_or(std::vector<std::string>{}))
        if (const auto value = root.read_line(fmt::format("{}/parameters/{}", folder, name)))
            module.parameters.emplace(clean_utf8(name), *value);
    return module;
}

void take_modules(Root& root, Machine& machine) {
    const auto loaded = root.list("/sys/module").value_or(std::vector<std::string>{});
    for (const Module& row : kModules)
        if (std::find(loaded.begin(), loaded.end(), row.name) != loaded.end())
            machine.modules.push_back(read_module(root, row));
}

void take_driver(Machine& machine) {
    for (const Gpu& gpu : machine.gpus)
        for (const GpuDriver& row : kGpuDrivers) {
            const auto module = std::find_if(machine.modules.begin(), machine.modules.end(),
                                             [&](const KernelModule& loaded) { return loaded.name == row.module; });
            if (row.vendor == gpu.vendor && module != machine.modules.end() && module->version) {
                machine.versions.try_emplace(
                    "driver", SoftwareVersion{*module->version, fmt::format("/sys/module/{}/version", row.module)});
                return;
            }
        }
}

}  // namespace

void probe_versions(Root& root, Machine& machine) {
    const auto keep = [&](std::string_view name, const std::string& path, const auto& parse) {
        if (const std::optional<std::string> version = parse(root.read(path).value_or("")))
            machine.versions.try_emplace(std::string(name), SoftwareVersion{*version, path});
    };
    take_modules(root, machine);
    keep("MACA", "/opt/maca/Version.txt", parse_version_line);
    keep("CUDA", "/usr/local/cuda/version.json", parse_cuda_version);
    keep("CUDA", "/usr/local/cuda/version.txt", parse_version_line);
    keep("ROCm", "/opt/rocm/.info/version", parse_version_line);
    take_driver(machine);
}

}  // namespace gpuadapt

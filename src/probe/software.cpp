// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/system_texts.hpp"

#include <gpuadapt/core/text.hpp>

#include <string_view>

#include <fmt/format.h>

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

std::optional<std::string> first_line(std::string_view text) {
    const std::string_view line = trim(text.substr(0, text.find('\n')));
    return line.empty() ? std::nullopt : std::optional(clean_utf8(line));
}

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
    const auto keep = [&](std::string_view name, const std::string& path, const auto& parse) {
        if (const std::optional<std::string> version = parse(root.read(path).value_or("")))
            machine.versions.try_emplace(std::string(name), SoftwareVersion{*version, path});
    };
    for (const std::string_view module : kModules)
        keep(module, fmt::format("/sys/module/{}/version", module), first_line);
    keep("MACA", "/opt/maca/Version.txt", parse_version_line);
    keep("CUDA", "/usr/local/cuda/version.json", parse_cuda_version);
    keep("CUDA", "/usr/local/cuda/version.txt", parse_version_line);
    keep("ROCm", "/opt/rocm/.info/version", parse_version_line);
    take_driver(machine);
}

void probe_environment(Root& root, Machine& machine) {
    machine.environment = root.environment();
}

}  // namespace gpuadapt

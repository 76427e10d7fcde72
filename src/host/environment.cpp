// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/environment.hpp>

#include <algorithm>
#include <array>

#include <unistd.h>

namespace gpuadapt {

namespace {

// Sources: the documentation of NCCL, RCCL, MACA and MCCL, CUDA, ROCm, Open MPI, UCX, libfabric and rdma-core.
constexpr std::array<std::string_view, 39> kEnvironmentNames = {
    "NCCL_",
    "RCCL_",
    "MCCL_",
    "CUDA_",
    "NVIDIA_",
    "NVSHMEM_",
    "MACA_",
    "MX_",
    "MXSML_",
    "MXLOG_",
    "HIP_",
    "HSA_",
    "ROCR_",
    "ROCM_",
    "GPU_",
    "OMPI_",
    "PRTE_",
    "PMIX_MCA_",
    "OPAL_",
    "HCOLL_",
    "UCX_",
    "UCC_",
    "SHARP_",
    "FI_",
    "IBV_",
    "RDMAV_",
    "MLX5_",
    "MLX4_",
    "HFI_",
    "PSM2_",
    "PSM3_",
    "GLOO_",
    "OMP_",
    "KMP_",
    "GOMP_",
    "HWLOC_",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "FORCE_ACTIVE_WAIT",
};

/// What mpirun (4.1 and 5.0), its daemons and Slurm set for the processes they start.
constexpr std::array<std::string_view, 29> kLauncherNames = {"OMPI_COMM_WORLD_",
                                                             "OMPI_UNIVERSE_SIZE",
                                                             "OMPI_NUM_APP_CTX",
                                                             "OMPI_APP_CTX_NUM_PROCS",
                                                             "OMPI_FIRST_RANKS",
                                                             "OMPI_FILE_LOCATION",
                                                             "OMPI_COMMAND",
                                                             "OMPI_ARGV",
                                                             "OMPI_MCA_orte_",
                                                             "OMPI_MCA_ess",
                                                             "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
                                                             "OMPI_MCA_initial_wdir",
                                                             "OMPI_MCA_mpi_oversubscribe",
                                                             "OMPI_MCA_pmix",
                                                             "OMPI_MCA_num_procs",
                                                             "OMPI_VERSION",
                                                             "OMPI_TOOL_NAME",
                                                             "OMPI_LIBDIR_LOC",
                                                             "OMPI_WORLD_",
                                                             "OMPI_MCA_PREFIXES",
                                                             "OMPI_MCA_cpu_type",
                                                             "OMPI_MCA_mca_base_component_path",
                                                             "OMPI_MCA_plm_slurm_args",
                                                             "OPAL_USER_PARAMS_GIVEN",
                                                             "PMIX_MCA_mca_base_component_show_load_errors",
                                                             "HFI_NO_BACKTRACE",
                                                             "PRTE_LAUNCHED",
                                                             "PRTE_SHARED_FS",
                                                             "PRTE_MCA_plm_slurm_args"};

bool begins_with_any(std::string_view name, std::span<const std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace

std::span<const std::string_view> environment_names() {
    return kEnvironmentNames;
}

bool is_tuning_variable(std::string_view name) {
    const bool known = std::any_of(kEnvironmentNames.begin(), kEnvironmentNames.end(), [&](std::string_view entry) {
        return entry.ends_with('_') ? name.size() > entry.size() && name.starts_with(entry) : name == entry;
    });
    return known && !begins_with_any(name, kLauncherNames);
}

std::optional<std::string> home_folder() {
    constexpr std::string_view kName = "HOME=";
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        if (const std::string_view text(*entry); text.starts_with(kName) && text.substr(kName.size()).starts_with('/'))
            return std::string(text.substr(kName.size()));
    return std::nullopt;
}

Environment tuning_environment() {
    Environment result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos && is_tuning_variable(text.substr(0, equals)))
            result.emplace(clean_utf8(text.substr(0, equals)), clean_utf8(text.substr(equals + 1)));
    }
    return result;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::ingest {

/// What lscpu says, as a list in English or Chinese, or as JSON (-J).
struct Lscpu {
    /// Of several kinds of cores in one machine the models are joined by '/', sockets and cores added up. Sizes of
    /// caches are there only where the text gives those of one instance, or the number of instances.
    Cpu cpu;
    std::vector<NumaNode> numa_nodes;              ///< numbers and CPUs only
    std::optional<std::string> hypervisor_vendor;  ///< "KVM", "VMware"
    std::optional<std::string> cores_unread;       ///< why cpu.cores_per_socket is absent though the text has a number
};

/// nullopt for a text without any output of lscpu. Takes any bytes and never throws on them.
[[nodiscard]] std::optional<Lscpu> read_lscpu(std::string_view text);

/// `numactl -H`: nodes with CPUs (list format), memory and distances; empty for another text.
[[nodiscard]] std::vector<NumaNode> read_numactl(std::string_view text);

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The words of the kernel and of the RDMA tools for one and the same thing, as the kernel writes them in
/// /sys/class/infiniband (Documentation/ABI/stable/sysfs-class-infiniband). Each function takes any text and gives
/// nullopt for what it does not know.
namespace gpuadapt::ingest {

/// NOP, DOWN, INIT, ARMED, ACTIVE, ACTIVE_DEFER of "4: ACTIVE", "PORT_ACTIVE (4)", "Initializing" ...
[[nodiscard]] std::optional<std::string> port_state(std::string_view text);

/// Sleep, Polling, Disabled, PortConfigurationTraining, LinkUp, LinkErrorRecovery, "Phy Test" of "5: LinkUp",
/// "LINK_UP (5)" ... "0: <unknown>" is nullopt.
[[nodiscard]] std::optional<std::string> physical_state(std::string_view text);

struct PortRate {
    double gbit_s = 0;
    std::optional<int> width;  ///< lanes
};

/// "100 Gb/sec (4X EDR)" is 100 over 4 lanes, ibstat's "40 (FDR10)" is 40.
[[nodiscard]] std::optional<PortRate> port_rate(std::string_view text);

/// "0xe41d2d03007b4080" or "e41d:2d03:007b:4080" as the latter. Digits that a tool left out in front are zeros.
[[nodiscard]] std::optional<std::string> node_guid(std::string_view text);

/// Eight groups of four digits, of any way to write an IPv6 address.
[[nodiscard]] std::optional<std::string> gid(std::string_view text);

/// True for a slot that holds nothing: all zero, or the subnet prefix fe80:: alone.
[[nodiscard]] bool is_empty_gid(std::string_view gid);

/// "IB/RoCE v1" or "RoCE v2", of "v1", "RoCE v1", "IB" ...
[[nodiscard]] std::optional<std::string> gid_type(std::string_view text);

/// "0x96" or "150"
[[nodiscard]] std::optional<int> local_id(std::string_view text);

/// "CA" of "1: CA" or "ca"
[[nodiscard]] std::optional<std::string> node_type(std::string_view text);

/// "4096 (5)" is 4096
[[nodiscard]] std::optional<int> mtu_bytes(std::string_view text);

/// A file of /sys and how its text becomes a fact; false when it is none of its values.
template <typename Thing>
struct FactFile {
    std::string_view name;
    bool (*take)(std::string_view text, Thing& thing);
};

/// Files of /sys/class/infiniband/DEV/ports/N: "state", "rate", "lid" ...
[[nodiscard]] std::span<const FactFile<RdmaPort>> port_files();

/// Files of /sys/class/infiniband/DEV: "fw_ver", "node_guid" ...
[[nodiscard]] std::span<const FactFile<RdmaDevice>> device_files();

/// nullptr when there is none of that name.
template <typename Thing>
[[nodiscard]] const FactFile<Thing>* find_file(std::span<const FactFile<Thing>> files, std::string_view name) {
    for (const FactFile<Thing>& file : files)
        if (file.name == name)
            return &file;
    return nullptr;
}

}  // namespace gpuadapt::ingest

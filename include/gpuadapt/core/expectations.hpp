// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// expect.json: what only its user can know of a server model. One file for all machines of the model; `probe
/// --write-expect` drafts it from one of them, and a person corrects it. What is absent is not expected, and not
/// judged. docs/expect.schema.json is its JSON Schema.
namespace gpuadapt {

struct ExpectedCounts {
    std::optional<int> sockets, logical_cpus, numa_nodes, dimms, gpus, rdma_devices;
    std::optional<std::int64_t> memory_bytes;  ///< of the modules, not what the system has left
    bool operator==(const ExpectedCounts&) const = default;
};

/// A GPU at its place. The link is what both of its ends can do together, not what one machine happened to negotiate.
struct ExpectedGpu {
    std::optional<std::string> address;  ///< "0000:3a:00.0"
    std::optional<std::string> slot;     ///< what the chassis calls that place
    std::optional<std::string> model;
    std::optional<double> pcie_gt_s;
    std::optional<int> pcie_width;
    std::optional<int> links;       ///< MetaXLinks or NVLinks that are up
    std::optional<int> link_lanes;  ///< of each MetaXLink
    bool operator==(const ExpectedGpu&) const = default;
};

struct ExpectedPort {
    std::optional<std::string> device;  ///< mlx5_0
    std::optional<int> port;
    std::optional<std::string> link_layer;  ///< InfiniBand or Ethernet
    std::optional<double> rate_gbit_s;
    bool operator==(const ExpectedPort&) const = default;
};

/// What a contract promises of a collective.
struct ExpectedCollective {
    std::string collective;  ///< all_reduce
    std::optional<int> ranks;
    std::optional<double> latency_4k_us;  ///< out of place, at 4 KiB, at most
    std::optional<double> busbw_1g_gb_s;  ///< out of place, at 1 GiB, at least
    std::optional<double> tolerance;      ///< 0.05: five per cent worse still passes
    bool operator==(const ExpectedCollective&) const = default;
};

struct Expectations {
    std::optional<std::string> model;  ///< product_name of the machines that it is for
    ExpectedCounts counts;
    std::vector<ExpectedGpu> gpus;
    std::vector<ExpectedPort> rdma_ports;
    std::vector<std::string> links_off;  ///< PCI addresses, "mlx5_1/1": off on purpose
    std::vector<ExpectedCollective> collectives;
    bool operator==(const Expectations&) const = default;
};

/// What a machine shows, as a draft. Only what was seen is in it.
[[nodiscard]] Expectations draft_expectations(const Machine& machine);

/// With "expect": 1 at its head.
[[nodiscard]] std::string to_json(const Expectations& expectations);

/// Throws Error(input) that names file and place: damaged JSON, a newer version, a wrong type, or a key that does not
/// exist (a person has typed it, and a promise must not be lost to a slip).
[[nodiscard]] Expectations read_expectations(std::string_view text, const std::string& name);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/record.hpp>

#include <vector>

namespace gpuadapt::test {

/// A server of our own making: two sockets, two NUMA nodes, eight GPUs below switches, four RDMA ports.
[[nodiscard]] Machine made_server();

/// Nine collectives at 2 and 4 ranks, 1K to 1M, with the launch that measured them.
[[nodiscard]] Record made_record();

[[nodiscard]] std::vector<const Table*> perf_tables(const Record& record);

}  // namespace gpuadapt::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/group.hpp>

#include <functional>

namespace gpuadapt::test {

/// Runs `body` on `size` threads, each with its rank's Group; joins them. An exception of a rank is thrown again here
/// (that of the lowest rank that has one). Ranks are on host "host0", `ranks_per_host` of them, then "host1", ...
void run_ranks(int size, const std::function<void(Group&)>& body, int ranks_per_host = 1000);

}  // namespace gpuadapt::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/backend.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace gpuadapt::test {

struct ReferenceOptions {
    /// False: the host cannot see this memory (as with a GPU); its addresses are only given to the backend.
    bool host_visible = true;
    std::optional<int> drop_rank;  ///< whose data take part in nothing
    std::optional<std::int64_t> memory_bytes;
    std::function<bool(DataType, ReduceOp)> supports;  ///< empty: all
    /// Called on every rank after each collective; may damage what was received.
    std::function<void(const CollectiveCall& call, int rank, int ranks)> after;
    /// Called when a collective is over on all ranks; may throw what a library reports on this rank.
    std::function<void(int rank)> outcome;
    /// Called before; true leaves the collective out.
    std::function<bool(const CollectiveCall& call, int rank)> instead;
};

/// The nine collectives written out from their definitions, over groups of threads. Slow, and right.
std::unique_ptr<Backend> make_reference_backend(ReferenceOptions options = {});

/// One element as a number, and back; both round as the types do.
double load_element(const std::byte* from, DataType type);
void store_element(std::byte* to, DataType type, double value);

}  // namespace gpuadapt::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/pattern.hpp"

#include <gpuadapt/bench/measure.hpp>

namespace gpuadapt {

/// Where a collective reads and writes on one rank.
struct Placement {
    std::byte* send = nullptr;
    std::byte* recv = nullptr;
};

/// The addresses of `what` on `rank`, `shift` bytes into the buffers.
[[nodiscard]] Placement placement(const MeasureCase& what, const MeasureBuffers& buffers, int rank, std::size_t shift);

[[nodiscard]] Pattern pattern_of(const MeasureCase& what, int ranks, std::uint64_t salt);

/// Fills `bytes` bytes from `to` on with `tile` repeated.
void fill_tiled(Backend& backend, std::byte* to, std::size_t bytes, std::span<const std::byte> tile);

/// Poisons what will be received on this rank and then writes what it sends.
void fill(const MeasureCase& what, Backend& backend, const MeasureBuffers& buffers, const Pattern& pattern, int rank);

/// Number of wrong elements on this rank, compared by up to `threads` threads. Reads through a block of at most 32 MiB
/// where the host cannot see the backend's memory.
[[nodiscard]] std::int64_t count_wrong(const MeasureCase& what, Backend& backend, const MeasureBuffers& buffers,
                                       const Pattern& pattern, int rank, int threads);

}  // namespace gpuadapt

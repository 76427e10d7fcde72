// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/bench/collectives.hpp>
#include <gpuadapt/driver/data_type.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// What is sent, and what must arrive. A rank's data repeat a tile; its length is a prime, so that no chunk of a
/// collective is a multiple of it and data in the wrong place differ.
namespace gpuadapt {

inline constexpr std::int64_t kTileLength = 16381;

/// Every byte of a destination holds this before. No element that is ever expected has only such bytes, so that data
/// which never arrived are always seen.
inline constexpr std::byte kPoison{0xff};

/// The data of one verification.
struct Pattern {
    DataType type = DataType::float32;
    /// Reductions get small multiples of a factor that differs by index: sums stay exact in any order and grouping, in
    /// every type. nullopt: data are only moved, and are random bits.
    std::optional<ReduceOp> op;
    int ranks = 1;
    std::uint64_t salt = 0;  ///< of this verification; another salt gives other data
};

/// The first `length` elements of what `rank` sends.
[[nodiscard]] std::vector<std::byte> source_tile(const Pattern& pattern, int rank, std::int64_t length);

/// The first `length` elements of the reduction over all ranks. Call it with an op only.
[[nodiscard]] std::vector<std::byte> reduced_tile(const Pattern& pattern, std::int64_t length);

/// How far a result may be from the expectation, in units in the last place. 0 but for the average of a number of ranks
/// whose reciprocal is not exact.
[[nodiscard]] int tolerance_ulp(const Pattern& pattern);

/// Number of elements of `data` that differ from `tile` repeated, beginning with its element `first`.
[[nodiscard]] std::int64_t count_wrong(std::span<const std::byte> data, std::span<const std::byte> tile,
                                       std::int64_t first, DataType type, int tolerance);

}  // namespace gpuadapt

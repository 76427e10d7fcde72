// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/driver/backend.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The nine collectives as nccl-tests 2.19.6 defines them (src/<name>.cu, doc/PERFORMANCE.md there).
namespace gpuadapt {

/// In elements. An in-place offset is that of rank 1; rank r uses r times as much.
struct CollectiveSizes {
    std::int64_t send_count = 0;
    std::int64_t recv_count = 0;
    std::int64_t count = 0;  ///< what the call and the log's count column say
    std::int64_t send_in_place_offset = 0;
    std::int64_t recv_in_place_offset = 0;
    bool operator==(const CollectiveSizes&) const = default;
};

/// What `count` elements of a rank's receive buffer from `recv_offset` on must hold afterwards.
struct Segment {
    std::int64_t recv_offset = 0;
    std::int64_t count = 0;
    std::optional<int> source_rank;  ///< whose send data; nullopt: the reduction over all ranks
    std::int64_t source_offset = 0;  ///< in that rank's send data, or in the reduction of the whole
    bool operator==(const Segment&) const = default;
};

struct Collective {
    CollectiveKind kind;
    std::string_view name;       ///< "all_reduce"
    std::string_view perf_name;  ///< "all_reduce_perf": the program of nccl-tests
    Text title;
    bool has_redop;
    bool has_root;
    /// Sizes for a message of `elements` elements of `element_size` bytes over `ranks`. Where each rank has a share,
    /// the share is rounded down to 16 bytes (nccl-tests since 2.13.12).
    CollectiveSizes (*sizes)(std::int64_t elements, std::int64_t element_size, int ranks);
    /// busbw / algbw.
    double (*bus_factor)(int ranks);
    /// The S of algbw = S / time, in bytes, for `count` elements as in CollectiveSizes.
    std::int64_t (*algorithm_bytes)(std::int64_t count, std::int64_t element_size, int ranks);
    /// What `rank` must hold; empty where its receive buffer is not written (a non-root of reduce and gather).
    std::vector<Segment> (*expectation)(const CollectiveSizes& sizes, int ranks, int rank, int root);
};

/// In the order in which the guide measures them, which is that of CollectiveKind.
extern const std::array<Collective, 9> kCollectives;

/// nullptr for a name that is in no row; both names are known.
[[nodiscard]] const Collective* find_collective(std::string_view name);
[[nodiscard]] const Collective& collective(CollectiveKind kind);

/// False for the in-place half of alltoall and sendrecv: timed, but not a valid operation to NCCL.
[[nodiscard]] bool in_place_defined(CollectiveKind kind);

}  // namespace gpuadapt

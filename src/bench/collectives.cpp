// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/bench/collectives.hpp>

#include <algorithm>
#include <cassert>

namespace gpuadapt {

namespace {

/// Shares of ranks begin at multiples of this (nccl-tests since 2.13.12).
constexpr std::int64_t kShareBytes = 16;

std::int64_t share(std::int64_t elements, std::int64_t element_size, int ranks) {
    const std::int64_t step = kShareBytes / element_size;
    return elements / ranks / step * step;
}

CollectiveSizes whole_sizes(std::int64_t elements, std::int64_t, int) {
    return {elements, elements, elements, 0, 0};
}

CollectiveSizes gather_sizes(std::int64_t elements, std::int64_t element_size, int ranks) {
    const std::int64_t part = share(elements, element_size, ranks);
    return {part, part * ranks, part, part, 0};
}

CollectiveSizes scatter_sizes(std::int64_t elements, std::int64_t element_size, int ranks) {
    const std::int64_t part = share(elements, element_size, ranks);
    return {part * ranks, part, part, 0, part};
}

CollectiveSizes alltoall_sizes(std::int64_t elements, std::int64_t element_size, int ranks) {
    const std::int64_t part = share(elements, element_size, ranks);
    return {part * ranks, part * ranks, part, 0, 0};
}

double all_reduce_factor(int ranks) {
    return 2.0 * (ranks - 1) / ranks;
}
double share_factor(int ranks) {
    return (ranks - 1.0) / ranks;
}
double unit_factor(int) {
    return 1;
}

std::int64_t whole_bytes(std::int64_t count, std::int64_t element_size, int) {
    return count * element_size;
}
std::int64_t share_bytes(std::int64_t count, std::int64_t element_size, int ranks) {
    return count * element_size * ranks;
}

std::vector<Segment> expect_all_reduce(const CollectiveSizes& sizes, int, int, int) {
    return {{0, sizes.recv_count, std::nullopt, 0}};
}

std::vector<Segment> expect_all_gather(const CollectiveSizes& sizes, int ranks, int, int) {
    std::vector<Segment> segments;
    segments.reserve(static_cast<std::size_t>(ranks));
    for (int source = 0; source < ranks; ++source) {
        segments.push_back({source * sizes.count, sizes.count, source, 0});
    }
    return segments;
}

std::vector<Segment> expect_reduce_scatter(const CollectiveSizes& sizes, int, int rank, int) {
    return {{0, sizes.count, std::nullopt, rank * sizes.count}};
}

std::vector<Segment> expect_alltoall(const CollectiveSizes& sizes, int ranks, int rank, int) {
    std::vector<Segment> segments;
    segments.reserve(static_cast<std::size_t>(ranks));
    for (int source = 0; source < ranks; ++source) {
        segments.push_back({source * sizes.count, sizes.count, source, rank * sizes.count});
    }
    return segments;
}

std::vector<Segment> expect_broadcast(const CollectiveSizes& sizes, int, int, int root) {
    return {{0, sizes.recv_count, root, 0}};
}

std::vector<Segment> expect_reduce(const CollectiveSizes& sizes, int ranks, int rank, int root) {
    return rank == root ? expect_all_reduce(sizes, ranks, rank, root) : std::vector<Segment>{};
}

std::vector<Segment> expect_gather(const CollectiveSizes& sizes, int ranks, int rank, int root) {
    return rank == root ? expect_all_gather(sizes, ranks, rank, root) : std::vector<Segment>{};
}

std::vector<Segment> expect_scatter(const CollectiveSizes& sizes, int, int rank, int root) {
    return {{0, sizes.count, root, rank * sizes.count}};
}

std::vector<Segment> expect_sendrecv(const CollectiveSizes& sizes, int ranks, int rank, int) {
    return {{0, sizes.recv_count, (rank + ranks - 1) % ranks, 0}};
}

}  // namespace

const std::array<Collective, 9> kCollectives{{
    {CollectiveKind::all_gather,
     "all_gather",
     "all_gather_perf",
     {"All-gather", "全收集"},
     false,
     false,
     gather_sizes,
     share_factor,
     share_bytes,
     expect_all_gather},
    {CollectiveKind::all_reduce,
     "all_reduce",
     "all_reduce_perf",
     {"All-reduce", "全归约"},
     true,
     false,
     whole_sizes,
     all_reduce_factor,
     whole_bytes,
     expect_all_reduce},
    {CollectiveKind::alltoall,
     "alltoall",
     "alltoall_perf",
     {"All-to-all", "全交换"},
     false,
     false,
     alltoall_sizes,
     share_factor,
     share_bytes,
     expect_alltoall},
    {CollectiveKind::broadcast,
     "broadcast",
     "broadcast_perf",
     {"Broadcast", "广播"},
     false,
     true,
     whole_sizes,
     unit_factor,
     whole_bytes,
     expect_broadcast},
    {CollectiveKind::gather,
     "gather",
     "gather_perf",
     {"Gather", "收集"},
     false,
     true,
     gather_sizes,
     share_factor,
     share_bytes,
     expect_gather},
    {CollectiveKind::reduce,
     "reduce",
     "reduce_perf",
     {"Reduce", "归约"},
     true,
     true,
     whole_sizes,
     unit_factor,
     whole_bytes,
     expect_reduce},
    {CollectiveKind::reduce_scatter,
     "reduce_scatter",
     "reduce_scatter_perf",
     {"Reduce-scatter", "归约散播"},
     true,
     false,
     scatter_sizes,
     share_factor,
     share_bytes,
     expect_reduce_scatter},
    {CollectiveKind::scatter,
     "scatter",
     "scatter_perf",
     {"Scatter", "散播"},
     false,
     true,
     scatter_sizes,
     share_factor,
     share_bytes,
     expect_scatter},
    {CollectiveKind::sendrecv,
     "sendrecv",
     "sendrecv_perf",
     {"Send and receive in a ring", "环形收发"},
     false,
     false,
     whole_sizes,
     unit_factor,
     whole_bytes,
     expect_sendrecv},
}};

const Collective* find_collective(std::string_view name) {
    const auto* const row = std::find_if(kCollectives.begin(), kCollectives.end(), [name](const Collective& candidate) {
        return candidate.name == name || candidate.perf_name == name;
    });
    return row == kCollectives.end() ? nullptr : row;
}

const Collective& collective(CollectiveKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    assert(index < kCollectives.size() && kCollectives[index].kind == kind);
    return kCollectives[index];
}

bool in_place_defined(CollectiveKind kind) {
    return kind != CollectiveKind::alltoall && kind != CollectiveKind::sendrecv;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "bench/verify.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

namespace gpuadapt {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{32} << 20;
/// Less than this is not worth a thread.
constexpr std::size_t kThreadBytes = std::size_t{4} << 20;

/// One stretch of received data and what it must hold.
struct Compare {
    std::span<const std::byte> tile;
    DataType type;
    int tolerance;

    [[nodiscard]] std::int64_t wrong(std::span<const std::byte> data, std::int64_t first) const {
        return count_wrong(data, tile, first, type, tolerance);
    }

    /// The same by several threads.
    [[nodiscard]] std::int64_t wrong(std::span<const std::byte> data, std::int64_t first, int threads) const {
        const std::size_t useful = std::max<std::size_t>(1, data.size() / kThreadBytes);
        const std::size_t parts = std::min(useful, static_cast<std::size_t>(std::max(1, threads)));
        if (parts == 1) {
            return wrong(data, first);
        }
        const std::size_t size = data_type_size(type);
        const std::size_t step = (data.size() / size + parts - 1) / parts * size;
        std::atomic<std::int64_t> total{0};
        std::vector<std::thread> workers;
        for (std::size_t begin = 0; begin < data.size(); begin += step) {
            workers.emplace_back(
                [this, &total, first, begin, size, part = data.subspan(begin, std::min(step, data.size() - begin))] {
                    total += wrong(part, first + static_cast<std::int64_t>(begin / size));
                });
        }
        for (std::thread& worker : workers) {
            worker.join();
        }
        return total;
    }
};

std::size_t bytes_of(std::int64_t count, DataType type) {
    return static_cast<std::size_t>(count) * data_type_size(type);
}

}  // namespace

Placement placement(const MeasureCase& what, const MeasureBuffers& buffers, int rank, std::size_t shift) {
    Placement place;
    place.send = (what.in_place ? buffers.recv : buffers.send).data() + shift;
    place.recv = buffers.recv.data() + shift;
    if (what.in_place) {
        place.send += bytes_of(what.sizes.send_in_place_offset * rank, what.type);
        place.recv += bytes_of(what.sizes.recv_in_place_offset * rank, what.type);
    }
    return place;
}

Pattern pattern_of(const MeasureCase& what, int ranks, std::uint64_t salt) {
    return {what.type, what.collective->has_redop ? std::optional(what.op) : std::nullopt, ranks, salt};
}

void fill_tiled(Backend& backend, std::byte* to, std::size_t bytes, std::span<const std::byte> tile) {
    assert(!tile.empty());
    std::size_t done = std::min(bytes, tile.size());
    backend.write(to, tile.first(done));
    const bool host = backend.host_view(to) != nullptr;  // there the tile stays in the cache; a device doubles
    while (done < bytes) {
        const std::size_t now = std::min(host ? tile.size() : done, bytes - done);
        if (host) {
            backend.write(to + done, tile.first(now));
        } else {
            backend.copy(to + done, to, now);
        }
        done += now;
    }
}

void fill(const MeasureCase& what, Backend& backend, const MeasureBuffers& buffers, const Pattern& pattern, int rank) {
    const std::vector<std::byte> poison(kTileLength, kPoison);
    // In place the whole range is poisoned: what is sent is written into it afterwards.
    const std::size_t range = bytes_of(std::max(what.sizes.send_count, what.sizes.recv_count), what.type);
    fill_tiled(backend, buffers.recv.data(), range, poison);
    const std::int64_t length = std::min(kTileLength, what.sizes.send_count);
    if (length > 0) {
        fill_tiled(backend, placement(what, buffers, rank, 0).send, bytes_of(what.sizes.send_count, what.type),
                   source_tile(pattern, rank, length));
    }
}

std::int64_t count_wrong(const MeasureCase& what, Backend& backend, const MeasureBuffers& buffers,
                         const Pattern& pattern, int rank, int threads) {
    const std::byte* base = placement(what, buffers, rank, 0).recv;
    const std::vector<Segment> segments = what.collective->expectation(what.sizes, pattern.ranks, rank, what.root);
    std::vector<std::byte> block;
    std::int64_t wrong = 0;
    for (const Segment& segment : segments) {
        const std::int64_t length = std::min(kTileLength, segment.source_offset + segment.count);
        const std::vector<std::byte> tile =
            segment.source_rank ? source_tile(pattern, *segment.source_rank, length) : reduced_tile(pattern, length);
        const Compare compare{tile, what.type, segment.source_rank ? 0 : tolerance_ulp(pattern)};
        const std::byte* from = base + bytes_of(segment.recv_offset, what.type);
        const std::size_t bytes = bytes_of(segment.count, what.type);
        if (const std::byte* seen = backend.host_view(from); seen != nullptr) {
            wrong += compare.wrong({seen, bytes}, segment.source_offset, threads);
            continue;
        }
        for (std::size_t done = 0; done < bytes;) {
            const std::size_t now = std::min(kBlockBytes, bytes - done);
            block.resize(std::max(block.size(), now));
            const std::span<std::byte> part(block.data(), now);
            backend.read(part, from + done);
            const auto first = static_cast<std::int64_t>(done / data_type_size(what.type));
            wrong += compare.wrong(part, segment.source_offset + first, threads);
            done += now;
        }
    }
    return wrong;
}

}  // namespace gpuadapt

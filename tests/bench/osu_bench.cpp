// SPDX-License-Identifier: Apache-2.0
// One rank of the comparison with the OSU micro-benchmarks: osu_bench all_reduce|all_gather|alltoall [max bytes].
// Their method (7.5): a barrier before each operation, one buffer, bytes a rank, 100 operations of warm-up and 1000
// timed ones (10 and 100 above 8 KiB); the p50 is that of the iterations' means over the ranks.
#include <gpuadapt/bench/measure.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/driver/mpi.hpp>
#include <gpuadapt/host/live_root.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace gpuadapt {

namespace {

constexpr std::int64_t kLargeBytes = 8192;
constexpr std::int64_t kDefaultMaxBytes = 1 << 20;

std::optional<std::string> variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

/// A message of `count` elements a rank, whatever the collective.
CollectiveSizes sizes_of(CollectiveKind kind, std::int64_t count, int ranks) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return {count, count * ranks, count, count, 0};
        case CollectiveKind::alltoall:
            return {count * ranks, count * ranks, count, 0, 0};
        default:
            return {count, count, count, 0, 0};
    }
}

/// The mean over the ranks of each iteration, then the one at round(n/2) of their ascending order. On all ranks.
double p50_us(Group& world, const std::vector<double>& own) {
    std::string bytes(own.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), own.data(), bytes.size());
    std::vector<double> means(own.size());
    for (const std::string& text : world.all_gather(bytes)) {
        std::vector<double> times(own.size());
        std::memcpy(times.data(), text.data(), std::min(text.size(), bytes.size()));
        std::transform(means.begin(), means.end(), times.begin(), means.begin(), std::plus<>());
    }
    std::sort(means.begin(), means.end());
    const auto middle = static_cast<std::size_t>(std::lround(static_cast<double>(means.size()) / 2));
    return means[middle - 1] / world.size();
}

void run(Group& world, const Collective& row, std::int64_t max_bytes) {
    const auto backend = make_host_backend({});
    const auto communicator = backend->communicator(world);
    const std::size_t room = static_cast<std::size_t>(max_bytes) * static_cast<std::size_t>(world.size());
    MeasureBuffers buffers{backend->allocate(room), backend->allocate(room), room};
    std::fill_n(buffers.send.data(), room, std::byte{1});
    std::fill_n(buffers.recv.data(), room, std::byte{0});
    const DataType type = row.has_redop ? DataType::int32 : DataType::int8;
    const auto size = static_cast<std::int64_t>(data_type_size(type));
    for (std::int64_t bytes = size; bytes <= max_bytes; bytes *= 2) {
        MeasureOptions options;
        options.shift_buffers = false;
        options.barrier_each = true;
        options.iterations = bytes > kLargeBytes ? 100 : 1000;
        options.warm_up = bytes > kLargeBytes ? 10 : 100;
        MeasureCase what;
        what.collective = &row;
        what.sizes = sizes_of(row.kind, bytes / size, world.size());
        what.type = type;
        const std::vector<double> times = operation_times_us(what, options, *communicator, world, buffers);
        const double p50 = p50_us(world, times);
        if (world.rank() == 0) {
            std::printf("%lld %.3f\n", static_cast<long long>(bytes), p50);
        }
    }
}

int run_program(int argc, char** argv) {
    const Collective* row = argc > 1 ? find_collective(argv[1]) : nullptr;
    const auto max_bytes = argc > 2 ? parse_size(argv[2]) : std::optional(kDefaultMaxBytes);
    if (row == nullptr || row->has_root || !max_bytes || *max_bytes < 1 || !launched_by_mpi(variable)) {
        std::fprintf(stderr, "usage: mpirun -n 2 osu_bench all_reduce|all_gather|alltoall [max bytes]\n");
        return 2;
    }
    LiveRoot root;
    const auto session = MpiSession::start(libmpi_candidates(variable, root, getppid()));
    run(session->world(), *row, *max_bytes);
    return 0;
}

}  // namespace

}  // namespace gpuadapt

int main(int argc, char** argv) {
    try {
        return gpuadapt::run_program(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 4;
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "mpi/collectives.hpp"

#include "bench/support/reference_backend.hpp"
#include "mpi/expect.hpp"

#include <gpuadapt/bench/collectives.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace gpuadapt::test {

namespace {

/// 1, 2 or 3: sums, products and averages of a few of these are exact in every type.
double value_of(int rank, std::int64_t index) {
    return static_cast<double>(1 + (std::int64_t{7} * rank + index + index / 3) % 3);
}

struct Case {
    CollectiveKind kind;
    DataType type;
    ReduceOp op;
    std::int64_t count;
    int root;
    bool in_place;
};

std::string describe(const Case& test) {
    return "collective " + std::to_string(static_cast<int>(test.kind)) + ", " + std::string(data_type_name(test.type)) +
           ", " + std::string(reduce_op_name(test.op)) + ", count " + std::to_string(test.count) + ", root " +
           std::to_string(test.root) + (test.in_place ? ", in place" : "");
}

double reduced(int ranks, std::int64_t index, DataType type, ReduceOp op) {
    double value = value_of(0, index);
    for (int rank = 1; rank < ranks; ++rank) {
        const double other = value_of(rank, index);
        value = op == ReduceOp::prod  ? value * other
                : op == ReduceOp::min ? std::min(value, other)
                : op == ReduceOp::max ? std::max(value, other)
                                      : value + other;
    }
    if (op != ReduceOp::avg) {
        return value;
    }
    return is_floating(type) ? value / ranks : std::trunc(value / ranks);
}

/// What element `index` of the receive buffer of `rank` must be; NaN: nothing is expected of it.
double expected(const Case& test, int ranks, int rank, std::int64_t index) {
    const auto source = static_cast<int>(test.count > 0 ? index / test.count : 0);
    const std::int64_t within = test.count > 0 ? index % test.count : 0;
    switch (test.kind) {
        case CollectiveKind::all_gather:
            return value_of(source, within);
        case CollectiveKind::all_reduce:
            return reduced(ranks, index, test.type, test.op);
        case CollectiveKind::alltoall:
            return value_of(source, rank * test.count + within);
        case CollectiveKind::broadcast:
            return value_of(test.root, index);
        case CollectiveKind::gather:
            return rank == test.root ? value_of(source, within) : std::nan("");
        case CollectiveKind::reduce:
            return rank == test.root ? reduced(ranks, index, test.type, test.op) : std::nan("");
        case CollectiveKind::reduce_scatter:
            return reduced(ranks, rank * test.count + index, test.type, test.op);
        case CollectiveKind::scatter:
            return value_of(test.root, rank * test.count + index);
        case CollectiveKind::sendrecv:
            return value_of((rank + ranks - 1) % ranks, index);
    }
    return std::nan("");
}

bool sends_shares(CollectiveKind kind) {
    return kind == CollectiveKind::alltoall || kind == CollectiveKind::scatter ||
           kind == CollectiveKind::reduce_scatter;
}
bool receives_shares(CollectiveKind kind) {
    return kind == CollectiveKind::alltoall || kind == CollectiveKind::gather || kind == CollectiveKind::all_gather;
}

void check(Communicator& communicator, const Case& test) {
    const int ranks = communicator.size();
    const int rank = communicator.rank();
    const std::size_t size = data_type_size(test.type);
    const std::int64_t sent = test.count * (sends_shares(test.kind) ? ranks : 1);
    const std::int64_t received = test.count * (receives_shares(test.kind) ? ranks : 1);
    const auto bytes = [size](std::int64_t count) { return static_cast<std::size_t>(count) * size; };
    // One element more on each side shows whether anything is written outside.
    const std::byte guard{0x5a};
    std::vector<std::byte> apart(bytes(sent) + 1);
    std::vector<std::byte> whole(bytes(std::max(sent, received)) + 2 * size, guard);
    std::byte* recv = whole.data() + size;
    std::byte* send = test.in_place ? recv : apart.data();
    if (test.in_place && !sends_shares(test.kind) && receives_shares(test.kind)) {
        send += bytes(test.count * rank);
    }
    if (test.in_place && sends_shares(test.kind) && !receives_shares(test.kind)) {
        recv += bytes(test.count * rank);
    }
    for (std::int64_t i = 0; i < sent; ++i) {
        store_element(send + bytes(i), test.type, value_of(rank, i));
    }
    communicator.run({test.kind, send, recv, test.count, test.type, test.op, test.root});
    communicator.wait(std::chrono::seconds(60));
    for (std::int64_t i = 0; i < received; ++i) {
        const double want = expected(test, ranks, rank, i);
        std::array<std::byte, 8> bits{};
        store_element(bits.data(), test.type, want);
        if (!std::isnan(want) && std::memcmp(bits.data(), recv + bytes(i), size) != 0) {
            expect(false, describe(test) + ": element " + std::to_string(i) + " is " +
                              std::to_string(load_element(recv + bytes(i), test.type)) + ", not " +
                              std::to_string(want));
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        if (whole[i] != guard || whole[whole.size() - 1 - i] != guard) {
            expect(false, describe(test) + ": writes outside");
        }
    }
}

}  // namespace

void check_collectives(Group& world) {
    // The second limit makes long messages of all but the shortest.
    for (const std::int64_t limit : {std::int64_t{1} << 30, std::int64_t{7}}) {
        HostBackendOptions options;
        options.plain_count_limit = limit;
        const auto backend = make_host_backend(std::move(options));
        const auto communicator = backend->communicator(world);
        expect(communicator->size() == world.size() && communicator->rank() == world.rank(), "the group's ranks");
        world.together([&] {
            for (int kind = 0; kind <= static_cast<int>(CollectiveKind::sendrecv); ++kind) {
                for (const DataType type : kDataTypes) {
                    for (const ReduceOp op : kReduceOps) {
                        if (op != ReduceOp::sum && !collective(static_cast<CollectiveKind>(kind)).has_redop) {
                            continue;
                        }
                        for (const std::int64_t count : {0, 1, 5, 21, 300, 20'000}) {
                            if (limit == 7 && count > 300) {
                                continue;
                            }
                            const int root = static_cast<int>(count + kind) % world.size();
                            for (const bool in_place : {false, true}) {
                                check(*communicator,
                                      {static_cast<CollectiveKind>(kind), type, op, count, root, in_place});
                            }
                        }
                    }
                }
            }
        });
    }
}

}  // namespace gpuadapt::test

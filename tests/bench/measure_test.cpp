// SPDX-License-Identifier: Apache-2.0
#include "bench/samples.hpp"
#include "bench/support/reference_backend.hpp"
#include "bench/support/thread_group.hpp"
#include "bench/verify.hpp"

#include <gpuadapt/bench/measure.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using test::make_reference_backend;
using test::ReferenceOptions;
using test::run_ranks;

MeasureOptions quick() {
    MeasureOptions options;
    options.iterations = 1;
    options.warm_up = 0;
    return options;
}

MeasureCase case_of(const Collective& row, std::int64_t bytes, DataType type, ReduceOp op, int ranks, bool in_place) {
    const auto size = static_cast<std::int64_t>(data_type_size(type));
    const int root = row.has_root ? ranks - 1 : 0;
    return {&row, row.sizes(bytes / size, size, ranks), type, op, root, in_place};
}

MeasureBuffers buffers_of(Backend& backend, std::size_t bytes) {
    return {backend.allocate(bytes), backend.allocate(bytes), bytes};
}

/// Calls `body` for each collective, type, operation (one for those that only move data) and valid placement.
template <class Body>
void for_all(const Body& body) {
    for (const Collective& row : kCollectives) {
        for (const DataType type : kDataTypes) {
            for (const ReduceOp op : kReduceOps) {
                if (!row.has_redop && op != ReduceOp::sum) {
                    continue;
                }
                body(row, type, op, false);
                if (in_place_defined(row.kind)) {
                    body(row, type, op, true);
                }
            }
        }
    }
}

std::string name_of(const Collective& row, DataType type, ReduceOp op, bool in_place) {
    return std::string(row.name) + ' ' + std::string(data_type_name(type)) + ' ' + std::string(reduce_op_name(op)) +
           (in_place ? " in place" : " out of place");
}

/// #wrong of every case over `ranks` ranks of a backend.
template <class Judge>
void judge_all(int ranks, std::int64_t bytes, const ReferenceOptions& reference, const Judge& judge) {
    run_ranks(ranks, [&](Group& group) {
        const auto backend = make_reference_backend(reference);
        const auto communicator = backend->communicator(group);
        MeasureBuffers buffers = buffers_of(*backend, static_cast<std::size_t>(bytes));
        std::uint64_t salt = 0;
        for_all([&](const Collective& row, DataType type, ReduceOp op, bool in_place) {
            const MeasureCase what = case_of(row, bytes, type, op, ranks, in_place);
            const PerfHalf half = measure_half(what, quick(), *backend, *communicator, group, buffers, ++salt);
            ASSERT_TRUE(half.wrong.has_value());
            judge(what, *half.wrong, name_of(row, type, op, in_place));
        });
    });
}

TEST(Measure, CorrectDataHaveNoWrongElement) {
    for (const int ranks : {1, 2, 3, 4}) {
        judge_all(ranks, 1000, {}, [ranks](const MeasureCase&, std::int64_t wrong, const std::string& name) {
            EXPECT_EQ(wrong, 0) << name << ' ' << ranks;
        });
    }
}

TEST(Measure, DataAreReadThroughABlockWhereTheHostCannotSeeThem) {
    ReferenceOptions reference;
    reference.host_visible = false;
    judge_all(3, 1000, reference,
              [](const MeasureCase&, std::int64_t wrong, const std::string& name) { EXPECT_EQ(wrong, 0) << name; });
}

TEST(Measure, OneChangedElementIsOneWrongElement) {
    constexpr int kRanks = 4;
    ReferenceOptions reference;
    reference.after = [](const CollectiveCall& call, int rank, int ranks) {
        if (rank == ranks - 1) {  // the root of those that have one
            call.recv[(static_cast<std::size_t>(call.count) - 1) * data_type_size(call.type)] ^= std::byte{0x40};
        }
    };
    judge_all(kRanks, 1000, reference,
              [](const MeasureCase&, std::int64_t wrong, const std::string& name) { EXPECT_EQ(wrong, 1) << name; });
}

TEST(Measure, StaleDataAreCaught) {
    ReferenceOptions reference;
    reference.instead = [](const CollectiveCall&, int) { return true; };
    judge_all(2, 1000, reference, [](const MeasureCase& what, std::int64_t wrong, const std::string& name) {
        // What was never received is wrong element by element. In place, a rank's own part is already where it belongs,
        // and a reduction's or broadcast's buffer holds the rank's own data, which differ from the result.
        const std::int64_t share = what.sizes.count;
        if (!what.in_place) {
            EXPECT_GE(wrong, share) << name;
        } else {
            EXPECT_GT(wrong, 0) << name;
        }
    });
}

TEST(Measure, AMissingContributionOfAnyRankIsCaught) {
    constexpr int kRanks = 3;
    for (int missing = 0; missing < kRanks; ++missing) {
        ReferenceOptions reference;
        reference.drop_rank = missing;
        judge_all(kRanks, 1000, reference, [&](const MeasureCase& what, std::int64_t wrong, const std::string& name) {
            const bool only_root_sends =
                what.collective->kind == CollectiveKind::broadcast || what.collective->kind == CollectiveKind::scatter;
            // In place, the root of a gather has its own part already.
            const bool own_part = what.in_place && what.collective->kind == CollectiveKind::gather;
            if ((only_root_sends && missing != what.root) || (own_part && missing == what.root)) {
                EXPECT_EQ(wrong, 0) << name;
            } else if (what.collective->kind == CollectiveKind::all_gather && what.in_place) {
                EXPECT_EQ(wrong, (kRanks - 1) * what.sizes.count) << name;
            } else {
                EXPECT_GT(wrong, 0) << name << " without rank " << missing;
            }
        });
    }
}

TEST(Measure, UndefinedPlacementsAreTimedAndNotJudged) {
    run_ranks(2, [](Group& group) {
        const auto backend = make_reference_backend();
        const auto communicator = backend->communicator(group);
        MeasureBuffers buffers = buffers_of(*backend, 256);
        for (const char* name : {"alltoall", "sendrecv"}) {
            const MeasureCase what = case_of(*find_collective(name), 256, DataType::float32, ReduceOp::sum, 2, true);
            const PerfHalf half = measure_half(what, quick(), *backend, *communicator, group, buffers, 1);
            EXPECT_FALSE(half.wrong.has_value());
            EXPECT_GT(half.time_us.value_or(0), 0);
        }
    });
}

TEST(Measure, WithoutVerificationNothingIsSaidOfTheData) {
    run_ranks(2, [](Group& group) {
        const auto backend = make_reference_backend();
        const auto communicator = backend->communicator(group);
        MeasureBuffers buffers = buffers_of(*backend, 256);
        MeasureOptions options = quick();
        options.check_rounds = 0;
        const MeasureCase what =
            case_of(*find_collective("all_reduce"), 256, DataType::float32, ReduceOp::sum, 2, false);
        EXPECT_FALSE(measure_half(what, options, *backend, *communicator, group, buffers, 1).wrong.has_value());
    });
}

TEST(Measure, TimesAndBandwidthsFitTogether) {
    run_ranks(4, [](Group& group) {
        const auto backend = make_reference_backend();
        const auto communicator = backend->communicator(group);
        MeasureBuffers buffers = buffers_of(*backend, 4096);
        MeasureOptions options = quick();
        options.iterations = 7;
        options.warm_up = 2;
        for (const Collective& row : kCollectives) {
            const MeasureCase what = case_of(row, 4096, DataType::float32, ReduceOp::sum, 4, false);
            const PerfHalf half = measure_half(what, options, *backend, *communicator, group, buffers, 1);
            ASSERT_EQ(half.rank_mean_us.size(), 4U);
            const double mean = std::accumulate(half.rank_mean_us.begin(), half.rank_mean_us.end(), 0.0) / 4;
            EXPECT_DOUBLE_EQ(*half.time_us, mean);
            const auto bytes = static_cast<double>(row.algorithm_bytes(what.sizes.count, 4, 4));
            EXPECT_DOUBLE_EQ(*half.algbw_gb_s, bytes / 1e9 / (*half.time_us / 1e6));
            EXPECT_DOUBLE_EQ(*half.busbw_gb_s, *half.algbw_gb_s * row.bus_factor(4));
            ASSERT_EQ(half.spread_us.has_value(), group.rank() == 0);
            if (half.spread_us) {
                EXPECT_EQ(half.spread_us->n, 4 * 7);
                EXPECT_LE(half.spread_us->min, half.spread_us->p50);
                EXPECT_LE(half.spread_us->p50, half.spread_us->p99);
                EXPECT_LE(half.spread_us->p99, half.spread_us->max);
            }
        }
    });
}

TEST(Measure, BuffersShiftThroughTheWholeRange) {
    std::mutex mutex;
    std::set<std::ptrdiff_t> sends;
    std::set<std::ptrdiff_t> receives;
    for (const bool shift : {true, false}) {
        sends.clear();
        receives.clear();
        run_ranks(2, [&](Group& group) {
            MeasureBuffers* own = nullptr;
            ReferenceOptions reference;
            reference.after = [&](const CollectiveCall& call, int rank, int) {
                const std::lock_guard lock(mutex);
                if (rank == 0) {
                    sends.insert(call.send - own->send.data());
                    receives.insert(call.recv - own->recv.data());
                }
            };
            const auto backend = make_reference_backend(reference);
            const auto communicator = backend->communicator(group);
            MeasureBuffers buffers = buffers_of(*backend, 1000);
            own = &buffers;
            MeasureOptions options = quick();
            options.iterations = 9;
            options.shift_buffers = shift;
            const MeasureCase what =
                case_of(*find_collective("all_gather"), 256, DataType::int8, ReduceOp::sum, 2, false);
            (void)measure_half(what, options, *backend, *communicator, group, buffers, 1);
        });
        // 1000 bytes hold the larger buffer (256) three times.
        const std::set<std::ptrdiff_t> expected =
            shift ? std::set<std::ptrdiff_t>{0, 256, 512} : std::set<std::ptrdiff_t>{0};
        EXPECT_EQ(sends, expected);
        EXPECT_EQ(receives, expected);
    }
}

/// Counts operations and marks of rank 0.
struct Counts {
    std::atomic<int> operations{0};
};

TEST(Measure, SingleTimesOfShortOperationsComeFromASecondRun) {
    for (const bool slow : {false, true}) {
        Counts counts;
        run_ranks(2, [&](Group& group) {
            ReferenceOptions reference;
            reference.after = [&](const CollectiveCall&, int rank, int) {
                counts.operations += rank == 0 ? 1 : 0;
                if (slow) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                }
            };
            const auto backend = make_reference_backend(reference);
            const auto communicator = backend->communicator(group);
            MeasureBuffers buffers = buffers_of(*backend, 64);
            MeasureOptions options;
            options.iterations = 3;
            options.warm_up = 2;
            options.check_rounds = 2;
            options.stamp_threshold_us = 15'000;  // what a fast operation takes on a busy machine stays below
            const MeasureCase what =
                case_of(*find_collective("all_reduce"), 64, DataType::float32, ReduceOp::sum, 2, false);
            const PerfHalf half = measure_half(what, options, *backend, *communicator, group, buffers, 1);
            if (slow && half.spread_us) {
                EXPECT_GE(half.spread_us->p50, 15'000);
            }
        });
        // warm-up, timed run, second run of the short ones, verifications
        EXPECT_EQ(counts.operations, slow ? 2 + 3 + 2 : 2 + 3 + 3 + 2);
    }
}

TEST(Measure, ALateRankHasTheShortestTime) {
    run_ranks(3, [](Group& group) {
        ReferenceOptions reference;
        reference.instead = [](const CollectiveCall&, int rank) {
            if (rank == 1) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            return false;
        };
        const auto backend = make_reference_backend(reference);
        const auto communicator = backend->communicator(group);
        MeasureBuffers buffers = buffers_of(*backend, 64);
        const MeasureCase what =
            case_of(*find_collective("all_reduce"), 64, DataType::float32, ReduceOp::sum, 3, false);
        MeasureOptions options = quick();
        options.barrier_each = true;
        options.iterations = 4;
        const PerfHalf half = measure_half(what, options, *backend, *communicator, group, buffers, 1);
        EXPECT_EQ(half.rank_mean_us.size(), 3U);
        EXPECT_GE(*half.time_us, 4000);
    });
}

TEST(Measure, AnErrorOnOneRankEndsAllRanksAndNamesIt) {
    std::atomic<int> ended{0};
    run_ranks(3, [&](Group& group) {
        ReferenceOptions reference;
        reference.outcome = [](int rank) {
            if (rank == 2) {
                throw tool_error("the link is down");
            }
        };
        const auto backend = make_reference_backend(reference);
        const auto communicator = backend->communicator(group);
        MeasureBuffers buffers = buffers_of(*backend, 64);
        MeasureOptions options = quick();
        options.warm_up = 1;
        const MeasureCase what =
            case_of(*find_collective("all_reduce"), 64, DataType::float32, ReduceOp::sum, 3, false);
        try {
            (void)measure_half(what, options, *backend, *communicator, group, buffers, 1);
        } catch (const AgreedError& error) {
            EXPECT_NE(std::string(error.what()).find("the link is down"), std::string::npos);
            ++ended;
        }
    });
    EXPECT_EQ(ended, 3);
}

TEST(Samples, FewAreMergedExactly) {
    const std::vector<double> a{5, 1, 3};
    const std::vector<double> b{2, 4};
    const Summary merged = merge_samples({pack_samples(a, 100), "", pack_samples(b, 100)});
    EXPECT_EQ(merged, summarize(std::vector<double>{1, 2, 3, 4, 5}));
    EXPECT_EQ(merge_samples({}), Summary{});
}

TEST(Samples, ManyKeepNumberExtremesAndMean) {
    std::vector<double> samples(10'000);
    std::iota(samples.begin(), samples.end(), 1.0);
    const std::string packed = pack_samples(samples, 100);
    EXPECT_LE(packed.size(), 104 * sizeof(double));
    const Summary merged = merge_samples({packed});
    EXPECT_EQ(merged.n, 10'000);
    EXPECT_EQ(merged.min, 1);
    EXPECT_EQ(merged.max, 10'000);
    EXPECT_DOUBLE_EQ(merged.mean, 5000.5);
    EXPECT_NEAR(merged.p50, 5000, 100);
    EXPECT_NEAR(merged.p99, 9900, 100);
}

TEST(Verify, SeveralThreadsFindTheSame) {
    run_ranks(1, [](Group&) {
        const auto backend = make_reference_backend();
        const Collective& row = *find_collective("all_reduce");
        constexpr std::int64_t kBytes = std::int64_t{20} << 20;
        MeasureBuffers buffers = buffers_of(*backend, kBytes);
        const MeasureCase what = case_of(row, kBytes, DataType::float32, ReduceOp::sum, 1, false);
        const Pattern pattern = pattern_of(what, 1, 3);
        const std::vector<std::byte> tile = reduced_tile(pattern, kTileLength);
        fill_tiled(*backend, buffers.recv.data(), kBytes, tile);
        for (const std::size_t at : {std::size_t{0}, std::size_t{4} << 20, static_cast<std::size_t>(kBytes) - 1}) {
            buffers.recv.data()[at] ^= std::byte{1};
        }
        for (const int threads : {1, 2, 3, 5, 8}) {
            EXPECT_EQ(count_wrong(what, *backend, buffers, pattern, 0, threads), 3);
        }
    });
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "bench/support/reference_backend.hpp"
#include "bench/support/thread_group.hpp"

#include <gpuadapt/bench/sweep.hpp>
#include <gpuadapt/core/perf_table.hpp>

#include <atomic>
#include <exception>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using test::make_reference_backend;
using test::ReferenceOptions;
using test::run_ranks;

SweepPlan small_plan() {
    SweepPlan plan;
    plan.collectives = {CollectiveKind::all_reduce};
    plan.counts = {2};
    plan.min_bytes = 64;
    plan.max_bytes = 256;
    plan.iterations = 2;
    plan.warm_up = 1;
    return plan;
}

/// What a sweep gave to its sink.
struct Collected {
    std::vector<Table> tables;
    std::vector<std::string> order;  ///< table id of each row
    std::vector<Finding> findings;
    std::vector<SweepProgress> progress;

    SweepSink sink() {
        SweepSink result;
        result.begin_table = [this](const Table& table) { tables.push_back(table); };
        result.row = [this](const Table& table, const Row& row) {
            ASSERT_FALSE(tables.empty());
            ASSERT_EQ(tables.back().id, table.id);
            tables.back().rows.push_back(row);
            order.push_back(table.id);
        };
        result.finding = [this](const Finding& finding) { findings.push_back(finding); };
        result.progress = [this](const SweepProgress& now) { progress.push_back(now); };
        return result;
    }
};

void never(const Message& text, int /*awaited*/) {
    ADD_FAILURE() << text.en;
}

Collected sweep(const SweepPlan& plan, int ranks, const ReferenceOptions& reference = {}, int ranks_per_host = 1000) {
    Collected collected;
    run_ranks(
        ranks,
        [&](Group& world) {
            const auto backend = make_reference_backend(reference);
            run_sweep(plan, *backend, world, world.rank() == 0 ? collected.sink() : SweepSink{}, never);
        },
        ranks_per_host);
    return collected;
}

std::string input_error_of(const SweepPlan& plan, int world_size) {
    try {
        validate(plan, world_size);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return {};
}

TEST(SweepPlan, ErrorsNameTheOption) {
    struct Case {
        const char* option;
        void (*spoil)(SweepPlan& plan);
    };
    const Case cases[] = {
        {"--ops", [](SweepPlan& plan) { plan.collectives.clear(); }},
        {"--ops",
         [](SweepPlan& plan) {
             plan.collectives = {CollectiveKind::reduce, CollectiveKind::reduce};
         }},
        {"--gpus", [](SweepPlan& plan) { plan.counts.clear(); }},
        {"--gpus",
         [](SweepPlan& plan) {
             plan.counts = {2, 2};
         }},
        {"--gpus", [](SweepPlan& plan) { plan.counts = {0}; }},
        {"--gpus", [](SweepPlan& plan) { plan.counts = {5}; }},
        {"-b", [](SweepPlan& plan) { plan.min_bytes = 0; }},
        {"-e", [](SweepPlan& plan) { plan.max_bytes = 8; }},
        {"-f", [](SweepPlan& plan) { plan.step_factor = 0; }},
        {"-i",
         [](SweepPlan& plan) {
             plan.step_factor = 1;
             plan.step_bytes = 0;
         }},
        {"-i",
         [](SweepPlan& plan) {
             plan.step_factor = 1;
             plan.step_bytes = 1;
             plan.max_bytes = 1 << 30;
         }},
        {"-n", [](SweepPlan& plan) { plan.iterations = 0; }},
        {"-w", [](SweepPlan& plan) { plan.warm_up = -1; }},
        {"-d", [](SweepPlan& plan) { plan.types.clear(); }},
        {"-o", [](SweepPlan& plan) { plan.ops.clear(); }},
        {"-r", [](SweepPlan& plan) { plan.roots = {2}; }},
        {"-r", [](SweepPlan& plan) { plan.roots = {-1}; }},
        {"-c", [](SweepPlan& plan) { plan.check_rounds = -1; }},
        {"--timeout", [](SweepPlan& plan) { plan.point_limit_s = 0; }},
    };
    EXPECT_EQ(input_error_of(small_plan(), 4), "");
    for (const Case& test : cases) {
        SweepPlan plan = small_plan();
        test.spoil(plan);
        EXPECT_EQ(input_error_of(plan, 4).rfind(test.option, 0), 0U) << test.option << ": " << input_error_of(plan, 4);
    }
}

TEST(SweepPlan, SizesGoByFactorOrStep) {
    SweepPlan plan = small_plan();
    plan.min_bytes = 3;
    plan.max_bytes = 50;
    EXPECT_EQ(requested_sizes(plan), (std::vector<std::int64_t>{3, 6, 12, 24, 48}));
    plan.step_factor = 1;
    plan.step_bytes = 20;
    EXPECT_EQ(requested_sizes(plan), (std::vector<std::int64_t>{3, 23, 43}));
    plan.min_bytes = plan.max_bytes = INT64_MAX;
    EXPECT_EQ(requested_sizes(plan).size(), 1U);
    plan.step_factor = 2;
    EXPECT_EQ(requested_sizes(plan).size(), 1U);
}

TEST(SweepPlan, SizesThatRoundAwayAreSkipped) {
    SweepPlan plan = small_plan();
    plan.min_bytes = 8;
    plan.max_bytes = 256;
    plan.step_factor = 1;
    plan.step_bytes = 8;
    std::vector<SweepPoint> skipped;
    const std::vector<SweepPoint> points = sweep_points(plan, *find_collective("all_gather"), 4, &skipped);
    std::vector<std::int64_t> requested;
    for (const SweepPoint& point : points) {
        requested.push_back(point.requested_bytes);
        EXPECT_EQ(point.sizes.count % 4, 0);
        EXPECT_EQ(point.root, -1);
        EXPECT_FALSE(point.op.has_value());
    }
    EXPECT_EQ(requested, (std::vector<std::int64_t>{64, 128, 192, 256}));
    EXPECT_EQ(points.size() + skipped.size(), 32U);
}

TEST(SweepPlan, TypesOperationsAndRootsAreWalkedAsNcclTestsDoes) {
    SweepPlan plan = small_plan();
    plan.max_bytes = plan.min_bytes;
    plan.types = {DataType::int8, DataType::float64};
    plan.ops = {ReduceOp::sum, ReduceOp::avg};
    plan.roots = {1, 0};
    const std::vector<SweepPoint> points = sweep_points(plan, *find_collective("reduce"), 2);
    ASSERT_EQ(points.size(), 8U);
    EXPECT_EQ(points[0].type, DataType::int8);
    EXPECT_EQ(points[0].op, ReduceOp::sum);
    EXPECT_EQ(points[0].root, 1);
    EXPECT_EQ(points[1].root, 0);
    EXPECT_EQ(points[2].op, ReduceOp::avg);
    EXPECT_EQ(points[4].type, DataType::float64);
    EXPECT_EQ(sweep_points(plan, *find_collective("all_reduce"), 2).size(), 4U);
    EXPECT_EQ(sweep_points(plan, *find_collective("broadcast"), 2).size(), 4U);
    EXPECT_EQ(sweep_points(plan, *find_collective("sendrecv"), 2).size(), 2U);
}

TEST(SweepPlan, MemoryIsSharedByTheRanksOfAHost) {
    EXPECT_EQ(memory_limit_bytes({std::nullopt, true}, 4), std::nullopt);
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    EXPECT_EQ(memory_limit_bytes({16 * kGiB, true}, 7), kGiB);
    EXPECT_EQ(memory_limit_bytes({16 * kGiB, false}, 7), 7 * kGiB);
}

TEST(Sweep, AllCollectivesOverAllCounts) {
    SweepPlan plan = small_plan();
    plan.collectives.clear();
    for (const Collective& row : kCollectives) {
        plan.collectives.push_back(row.kind);
    }
    plan.counts = {2, 4, 1};
    plan.max_bytes = 1024;
    const Collected collected = sweep(plan, 4);
    ASSERT_EQ(collected.tables.size(), 27U);
    std::size_t at = 0;
    for (const Collective& row : kCollectives) {
        for (const int ranks : plan.counts) {
            const Table& table = collected.tables[at++];
            EXPECT_EQ(table.id, "perf/" + std::string(row.name) + '/' + std::to_string(ranks));
            EXPECT_TRUE(is_perf_table(table));
            EXPECT_EQ(table.labels.at("backend"), "reference");
            EXPECT_EQ(table.labels.at("iterations"), "2");
            ASSERT_EQ(table.rows.size(), 5U) << table.id;
            for (const Row& cells : table.rows) {
                const PerfPoint point = perf_point(table, cells);
                EXPECT_EQ(point.size_bytes, point.requested_bytes);
                EXPECT_EQ(point.out_of_place.wrong, 0) << table.id;
                EXPECT_EQ(point.in_place.wrong,
                          in_place_defined(row.kind) ? std::optional<std::int64_t>(0) : std::nullopt);
                EXPECT_EQ(point.root, row.has_root ? 0 : -1);
                EXPECT_EQ(point.redop, row.has_redop ? "sum" : "none");
                EXPECT_EQ(point.out_of_place.rank_mean_us.size(), static_cast<std::size_t>(ranks));
                EXPECT_TRUE(point.in_place.spread_us.has_value());
            }
        }
    }
    EXPECT_TRUE(collected.findings.empty());
    ASSERT_EQ(collected.progress.size(), 27U * 5 + 1);
    EXPECT_FALSE(collected.progress.front().remaining_seconds.has_value());
    EXPECT_EQ(collected.progress.front().current, "all_gather, 2 ranks, 64");
    EXPECT_TRUE(collected.progress[1].remaining_seconds.has_value());
    EXPECT_EQ(collected.progress.back().done, 27 * 5);
    EXPECT_EQ(collected.progress.back().total, 27 * 5);
    EXPECT_EQ(collected.progress.back().current, "");
    EXPECT_EQ(collected.progress.back().remaining_seconds, 0.0);
}

TEST(Sweep, WrongDataStandInTheRowAndTheSweepGoesOn) {
    ReferenceOptions reference;
    reference.after = [](const CollectiveCall& call, int rank, int) {
        if (rank == 0 && call.count == 32) {
            call.recv[5] ^= std::byte{0x40};
        }
    };
    const Collected collected = sweep(small_plan(), 2, reference);
    ASSERT_EQ(collected.tables.size(), 1U);
    ASSERT_EQ(collected.tables[0].rows.size(), 3U);
    EXPECT_EQ(perf_point(collected.tables[0], collected.tables[0].rows[0]).out_of_place.wrong, 0);
    EXPECT_EQ(perf_point(collected.tables[0], collected.tables[0].rows[1]).out_of_place.wrong, 1);
    EXPECT_EQ(perf_point(collected.tables[0], collected.tables[0].rows[2]).out_of_place.wrong, 0);
}

TEST(Sweep, SkippedSizesAreSaidOnce) {
    SweepPlan plan = small_plan();
    plan.collectives = {CollectiveKind::all_gather, CollectiveKind::scatter};
    plan.min_bytes = 8;
    const Collected collected = sweep(plan, 2);
    ASSERT_EQ(collected.findings.size(), 1U);
    EXPECT_EQ(collected.findings[0].severity, Severity::note);
    EXPECT_EQ(collected.findings[0].check, "perf.sizes");
    EXPECT_NE(collected.findings[0].evidence.en.find("all_gather (2): 8 16; scatter (2): 8 16"), std::string::npos)
        << collected.findings[0].evidence.en;
    EXPECT_FALSE(collected.findings[0].evidence.zh.empty());
}

TEST(Sweep, LargestSizeIsReducedToTheMemory) {
    ReferenceOptions reference;
    reference.memory_bytes = 4 * 2 * 8 * 100;  // 4 ranks a host, 2 buffers, 7/8 used: 700 bytes
    SweepPlan plan = small_plan();
    plan.counts = {4};
    plan.max_bytes = 1 << 20;
    const Collected collected = sweep(plan, 4, reference);
    ASSERT_EQ(collected.tables[0].rows.size(), 4U);
    EXPECT_EQ(perf_point(collected.tables[0], collected.tables[0].rows.back()).size_bytes, 512);
    ASSERT_EQ(collected.findings.size(), 1U);
    EXPECT_EQ(collected.findings[0].check, "perf.memory");
    EXPECT_EQ(collected.findings[0].subject, "-e 1M");
    // Two ranks on each host leave twice as much.
    EXPECT_EQ(sweep(plan, 4, reference, 2).tables[0].rows.size(), 5U);
    plan.min_bytes = 1024;
    EXPECT_THROW(sweep(plan, 4, reference), Error);
}

TEST(Sweep, UnsupportedTypesAreLeftOut) {
    ReferenceOptions reference;
    reference.supports = [](DataType type, ReduceOp op) { return type != DataType::bfloat16 && op != ReduceOp::avg; };
    SweepPlan plan = small_plan();
    plan.types = {DataType::float32, DataType::bfloat16};
    plan.ops = {ReduceOp::sum, ReduceOp::avg};
    const Collected collected = sweep(plan, 2, reference);
    EXPECT_EQ(collected.tables[0].rows.size(), 3U);
    ASSERT_EQ(collected.findings.size(), 1U);
    EXPECT_EQ(collected.findings[0].check, "perf.support");
    EXPECT_NE(collected.findings[0].evidence.en.find("float/avg, bfloat16/sum, bfloat16/avg"), std::string::npos);
}

TEST(Sweep, GoesOnAfterWhatIsMeasuredAlready) {
    Collected collected;
    run_ranks(3, [&](Group& world) {
        const auto backend = make_reference_backend();
        SweepSink sink;
        if (world.rank() == 0) {
            sink = collected.sink();
            sink.already_measured = [](const SweepPoint& point) { return point.requested_bytes < 256; };
        }
        run_sweep(small_plan(), *backend, world, sink, never);
    });
    ASSERT_EQ(collected.tables.size(), 1U);
    ASSERT_EQ(collected.tables[0].rows.size(), 1U);
    EXPECT_EQ(collected.progress.back().done, 3);
}

TEST(Sweep, StopsOnAllRanksWhenAsked) {
    Collected collected;
    std::atomic<int> interrupted{0};
    run_ranks(3, [&](Group& world) {
        const auto backend = make_reference_backend();
        SweepSink sink;
        if (world.rank() == 0) {
            sink = collected.sink();
            sink.stop = [&collected] { return collected.order.size() == 2; };
        }
        try {
            run_sweep(small_plan(), *backend, world, sink, never);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::interrupted);
            ++interrupted;
        }
    });
    EXPECT_EQ(interrupted, 3);
    EXPECT_EQ(collected.order.size(), 2U);
}

TEST(Sweep, ASinkThatThrowsEndsAllRanks) {
    std::atomic<int> ended{0};
    std::string text;
    run_ranks(3, [&](Group& world) {
        const auto backend = make_reference_backend();
        SweepSink sink;
        sink.row = [](const Table&, const Row&) { throw tool_error("run.json.part: no space left on device"); };
        try {
            run_sweep(small_plan(), *backend, world, sink, never);
        } catch (const Error& error) {
            ++ended;
            if (world.rank() == 2) {
                text = error.what();
            }
        }
    });
    EXPECT_EQ(ended, 3);
    EXPECT_EQ(text, "rank 0 (host host0): run.json.part: no space left on device");
}

TEST(Sweep, AHangingOperationIsEndedByTheWatchdog) {
    // The test's end of a hung rank is to let it go on; the real one is Group::abort.
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    std::atomic<bool> said{false};
    std::string text;
    SweepPlan plan = small_plan();
    plan.point_limit_s = 0.3;
    plan.counts = {1};
    run_ranks(1, [&](Group& world) {
        ReferenceOptions reference;
        reference.instead = [&](const CollectiveCall& call, int) {
            if (call.count == 64) {
                released.wait();
            }
            return false;
        };
        const auto backend = make_reference_backend(reference);
        run_sweep(plan, *backend, world, {}, [&](const Message& what, int awaited) {
            EXPECT_EQ(awaited, 1);
            if (!said.exchange(true)) {
                text = what.en;
                release.set_value();
            }
        });
    });
    EXPECT_EQ(text, "rank 0 (host host0): all_reduce, 1 rank, 256 out of place has taken more than 300 ms");
}

/// A rank that hangs, once it has been split off, until it is let go.
class HungRank final : public Group {
  public:
    HungRank(Group& world, std::shared_future<void> let_go) : world_(world), let_go_(std::move(let_go)) {}

    [[nodiscard]] int rank() const override { return world_.rank(); }
    [[nodiscard]] int size() const override { return world_.size(); }
    [[nodiscard]] const std::string& host() const override { return world_.host(); }
    [[nodiscard]] std::string library() const override { return world_.library(); }
    void barrier() override { world_.barrier(); }
    void idle_barrier(std::optional<std::chrono::milliseconds> limit) override { world_.idle_barrier(limit); }
    [[nodiscard]] std::string broadcast(const std::string& text, int root) override {
        return world_.broadcast(text, root);
    }
    [[nodiscard]] std::vector<std::string> gather(const std::string& text, int root) override {
        return world_.gather(text, root);
    }
    [[nodiscard]] std::vector<std::string> all_gather(const std::string& text) override {
        if (split_) {
            let_go_.wait();
        }
        return world_.all_gather(text);
    }
    [[nodiscard]] std::unique_ptr<Group> split(int color, int key) override {
        split_ = true;
        return world_.split(color, key);
    }
    [[noreturn]] void abort(int) override { std::terminate(); }

  private:
    Group& world_;
    std::shared_future<void> let_go_;
    bool split_ = false;
};

TEST(Sweep, ARankThatDoesNotComeToTheEndOfASeriesIsNotWaitedForWithoutLimit) {
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    std::atomic<int> said{0};
    SweepPlan plan = small_plan();
    plan.point_limit_s = 0.5;
    run_ranks(3, [&](Group& world) {
        HungRank hung(world, released);
        const auto backend = make_reference_backend({});
        const auto expired = [&](const Message& text, int awaited) {
            EXPECT_NE(text.en.find("the end of all_reduce over 2 ranks has taken more than 500 ms"), std::string::npos);
            EXPECT_NE(world.rank(), 2);
            EXPECT_EQ(awaited, 0);  // rank 2 has another limit
            if (said++ == 0) {
                release.set_value();
            }
        };
        run_sweep(plan, *backend, world.rank() == 2 ? hung : world, {}, expired);
    });
    EXPECT_GE(said, 1);
}

TEST(Sweep, RanksAndTheirPlaces) {
    run_ranks(
        3,
        [](Group& world) {
            const std::vector<RankPlace> places = rank_places(world);
            ASSERT_EQ(places.size(), world.rank() == 0 ? 3U : 0U);
            if (world.rank() == 0) {
                EXPECT_EQ(places[2].rank, 2);
                EXPECT_EQ(places[2].host, "host1");
                EXPECT_GT(places[2].pid, 0);
            }
        },
        2);
}

}  // namespace
}  // namespace gpuadapt

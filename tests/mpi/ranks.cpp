// SPDX-License-Identifier: Apache-2.0
// One rank of the tests that need a real mpirun: ranks MODE. Prints "passed" on rank 0.
#include "mpi/collectives.hpp"
#include "mpi/expect.hpp"

#include <gpuadapt/bench/sweep.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/driver/mpi.hpp>
#include <gpuadapt/host/live_root.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include <unistd.h>

namespace gpuadapt::test {

namespace {

using std::chrono::milliseconds;

void check_texts(Group& world) {
    const auto text_of = [](int rank) {
        return rank % 2 == 1 ? std::string() : std::string(static_cast<std::size_t>(rank) * 70'000 + 3, 'x');
    };
    const std::string own = text_of(world.rank());
    const std::vector<std::string> all = world.all_gather(own);
    expect(all.size() == static_cast<std::size_t>(world.size()), "one text a rank");
    for (int rank = 0; rank < world.size(); ++rank) {
        expect(all[static_cast<std::size_t>(rank)] == text_of(rank), "the text of each rank");
        expect(world.broadcast(own, rank) == text_of(rank), "the text of the root");
        const std::vector<std::string> gathered = world.gather(own, rank);
        expect(gathered == (world.rank() == rank ? all : std::vector<std::string>{}), "all texts on the root");
    }
    expect(world.max(world.rank()) == world.size() - 1, "the largest value");
    expect(world.sum(1.5) == 1.5 * world.size(), "the sum");
    expect(world.mean(world.rank()) == (world.size() - 1) / 2.0, "the mean");
    expect(world.ranks_on_host() == world.size(), "all ranks on this host");
}

void check_split(Group& world) {
    // Even and odd ranks, each in reverse order.
    const auto half = world.split(world.rank() % 2, -world.rank());
    const int members = (world.size() + 1 - world.rank() % 2) / 2;
    expect(half != nullptr && half->size() == members, "the size of a part");
    expect(half->rank() == members - 1 - world.rank() / 2, "the order of the key");
    expect(half->max(world.rank()) <= world.size() - 1, "a working part");
    const auto first = world.split(world.rank() == 0 ? 0 : -1, 0);
    expect((first != nullptr) == (world.rank() == 0), "no group for a negative color");
}

void check_agreement(Group& world) {
    const int last = world.size() - 1;
    try {
        world.together([&] {
            if (world.rank() == last) {
                throw Error(ErrorKind::input, "no such thing");
            }
        });
        expect(false, "an error on all ranks");
    } catch (const AgreedError& error) {
        expect(error.kind() == ErrorKind::input, "the kind of the error");
        const std::string text = "rank " + std::to_string(last) + " (host " + world.host() + "): no such thing";
        expect(error.what() == text, "its text: " + std::string(error.what()));
    }
    // An error that is agreed on in a part passes through the agreement of all as it is.
    try {
        world.together([&] {
            const auto part = world.split(world.rank() == 0 ? 0 : 1, 0);
            if (world.rank() != 0) {
                part->agree(tool_error("in a part"));
            }
        });
        expect(world.size() == 1, "an error on all ranks");
    } catch (const AgreedError& error) {
        const std::string text = error.what();
        expect(text.find("in a part") != std::string::npos && text.find("rank ") == text.rfind("rank "),
               "one rank named: " + text);
    }
    world.agree(std::nullopt);
}

void check_idle_barrier(Group& world) {
    if (world.rank() == 0) {
        std::this_thread::sleep_for(milliseconds(50));
    }
    world.idle_barrier(milliseconds(60'000));
}

/// Ends with rank 0 alone in a barrier; mpirun takes the job down.
void check_limit(Group& world) {
    if (world.rank() == 0) {
        try {
            world.idle_barrier(milliseconds(20));
            expect(false, "an error after the limit");
        } catch (const Error& error) {
            expect(error.kind() == ErrorKind::interrupted, "a time limit");
            std::puts("passed");
            std::fflush(stdout);
        }
        world.abort(0);
    }
    std::this_thread::sleep_for(std::chrono::seconds(60));
}

SweepPlan small_plan(int ranks) {
    SweepPlan plan;
    for (const Collective& row : kCollectives) {
        plan.collectives.push_back(row.kind);
    }
    plan.counts = {ranks, ranks == 1 ? 1 : ranks - 1};
    if (ranks == 1) {
        plan.counts = {1};
    }
    plan.min_bytes = 256;
    plan.max_bytes = 64 << 10;
    plan.step_factor = 256;
    plan.iterations = 3;
    plan.types = {kDataTypes.begin(), kDataTypes.end()};
    plan.ops = {kReduceOps.begin(), kReduceOps.end()};
    return plan;
}

void check_sweep(Group& world) {
    const auto backend = make_host_backend({});
    int rows = 0;
    SweepSink sink;
    sink.row = [&rows](const Table& table, const Row& cells) {
        const PerfPoint point = perf_point(table, cells);
        const std::string name =
            table.id + ' ' + point.type + ' ' + point.redop + ' ' + std::to_string(point.count.value_or(-1));
        expect(point.out_of_place.wrong == 0, name + " out of place");
        const bool defined = in_place_defined(table.labels.at("collective"));
        expect(point.in_place.wrong == (defined ? std::optional<std::int64_t>(0) : std::nullopt), name + " in place");
        expect(point.out_of_place.time_us > 0.0 && point.in_place.spread_us.has_value(), name + " times");
        ++rows;
    };
    const SweepPlan plan = small_plan(world.size());
    run_sweep(plan, *backend, world, sink, [&world](const Message& text, int) {
        std::fprintf(stderr, "%s\n", text.en.c_str());
        world.abort(4);
    });
    int points = 0;
    for (const CollectiveKind kind : plan.collectives) {
        for (const int count : plan.counts) {
            points += static_cast<int>(sweep_points(plan, collective(kind), count).size());
        }
    }
    expect(world.rank() != 0 || (rows == points && rows > 0), "a row for each point");
}

/// A rank that never comes: the watchdog of the others names the operation and ends the job.
void hang(Group& world) {
    const auto backend = make_host_backend({});
    SweepPlan plan = small_plan(world.size());
    plan.counts = {world.size()};
    plan.collectives = {CollectiveKind::all_reduce};
    plan.types = {DataType::float32};
    plan.ops = {ReduceOp::sum};
    plan.point_limit_s = 1;
    SweepSink sink;
    sink.row = [](const Table&, const Row&) {};
    sink.stop = [] { return false; };
    if (world.rank() == 1) {
        plan.point_limit_s = 1000;
        std::thread([] {
            std::this_thread::sleep_for(milliseconds(300));
            kill(getpid(), SIGSTOP);
        }).detach();
    }
    plan.iterations = 100'000'000;
    run_sweep(plan, *backend, world, sink, [&world](const Message& text, int) {
        std::fprintf(stderr, "%s\n", text.en.c_str());
        world.abort(4);
    });
}

void die(Group& world) {
    world.barrier();
    if (world.rank() == 1) {
        kill(getpid(), SIGKILL);
    }
    world.barrier();
    std::this_thread::sleep_for(std::chrono::seconds(60));
}

struct Mode {
    const char* name;
    void (*run)(Group& world);
};

void check_group(Group& world) {
    check_texts(world);
    check_split(world);
    check_agreement(world);
    check_idle_barrier(world);
}

constexpr Mode kModes[] = {{"group", check_group}, {"collectives", check_collectives},
                           {"sweep", check_sweep}, {"limit", check_limit},
                           {"hang", hang},         {"die", die}};

std::optional<std::string> variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

int run_mode(const Mode& mode, Group& world) {
    try {
        world.together([&] { mode.run(world); });
    } catch (const Error& error) {
        if (world.rank() == 0) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        return 1;
    }
    if (world.rank() == 0) {
        std::puts("passed");
    }
    return 0;
}

int run_program(const std::string& name) {
    for (const Mode& mode : kModes) {
        if (name != mode.name) {
            continue;
        }
        if (!launched_by_mpi(variable)) {
            const auto solo = make_solo_group();
            return run_mode(mode, *solo);
        }
        LiveRoot root;
        const auto session = MpiSession::start(libmpi_candidates(variable, root, getppid()));
        if (session->world().rank() == 0) {
            std::printf("%s: %s\n", session->library_path().c_str(), session->library_version().c_str());
            std::fflush(stdout);
        }
        return run_mode(mode, session->world());
    }
    std::fprintf(stderr, "no mode %s\n", name.c_str());
    return 2;
}

}  // namespace

}  // namespace gpuadapt::test

int main(int argc, char** argv) {
    try {
        return gpuadapt::test::run_program(argc > 1 ? argv[1] : "");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 4;
    }
}

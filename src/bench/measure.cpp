// SPDX-License-Identifier: Apache-2.0
#include "bench/samples.hpp"
#include "bench/verify.hpp"

#include <gpuadapt/bench/measure.hpp>

#include <algorithm>
#include <numeric>

namespace gpuadapt {

namespace {

using Clock = std::chrono::steady_clock;

/// Samples of all ranks that rank 0 takes in for one spread.
constexpr std::size_t kSampleRoom = 1U << 16;

double microseconds(Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

/// Runs the operations of one case on this rank.
class Operations {
  public:
    Operations(const MeasureCase& what, const MeasureOptions& options, Communicator& communicator, Group& group,
               const MeasureBuffers& buffers)
        : options_(options), communicator_(communicator), group_(group) {
        const Placement place = placement(what, buffers, communicator.rank(), 0);
        send_ = place.send;
        recv_ = place.recv;
        call_ = {what.collective->kind, send_, recv_, what.sizes.count, what.type, what.op, what.root};
        step_ = static_cast<std::size_t>(std::max(what.sizes.send_count, what.sizes.recv_count)) *
                data_type_size(what.type);
        steps_ = options.shift_buffers && step_ > 0 ? std::max<std::size_t>(1, buffers.max_bytes / step_) : 1;
    }

    void run(int iteration) {
        const std::size_t shift = step_ * (static_cast<std::size_t>(iteration) % steps_);
        call_.send = send_ + shift;
        call_.recv = recv_ + shift;
        communicator_.run(call_);
    }

    void wait() { communicator_.wait(options_.limit); }

    /// The warm-up; returns what its last operation took in microseconds, 0 without one.
    double warm_up() {
        double last = 0;
        for (int i = 0; i < options_.warm_up; ++i) {
            if (options_.barrier_each) {
                group_.barrier();
            }
            const Clock::time_point start = Clock::now();
            run(i);
            if (options_.barrier_each || i + 1 == options_.warm_up) {
                wait();
                last = microseconds(Clock::now() - start);
            }
        }
        return last;
    }

    /// One operation behind the other from a barrier on; returns microseconds of all together. With `marks` the moment
    /// after each is noted.
    double pipelined(bool marks) {
        if (marks) {
            communicator_.reserve_marks(static_cast<std::size_t>(options_.iterations) + 1);
        }
        group_.barrier();
        const Clock::time_point start = Clock::now();
        if (marks) {
            communicator_.mark();
        }
        for (int i = 0; i < options_.iterations; ++i) {
            run(i);
            if (marks) {
                communicator_.mark();
            }
        }
        wait();
        return microseconds(Clock::now() - start);
    }

    /// A barrier before each operation and none inside its time; returns the time of each.
    std::vector<double> one_by_one() {
        std::vector<double> times(static_cast<std::size_t>(options_.iterations));
        for (int i = 0; i < options_.iterations; ++i) {
            group_.barrier();
            const Clock::time_point start = Clock::now();
            run(i);
            wait();
            times[static_cast<std::size_t>(i)] = microseconds(Clock::now() - start);
        }
        return times;
    }

  private:
    const MeasureOptions& options_;
    Communicator& communicator_;
    Group& group_;
    CollectiveCall call_;
    std::byte* send_ = nullptr;
    std::byte* recv_ = nullptr;
    std::size_t step_ = 0;
    std::size_t steps_ = 1;
};

/// Times of this rank's part of a timed run.
struct Timed {
    double mean_us = 0;
    std::vector<double> single_us;  ///< of each operation; empty: not taken
};

Timed timed_run(Operations& operations, const MeasureOptions& options, Communicator& communicator, bool marks) {
    Timed timed;
    if (options.barrier_each) {
        timed.single_us = operations.one_by_one();
        timed.mean_us = std::accumulate(timed.single_us.begin(), timed.single_us.end(), 0.0) / options.iterations;
        return timed;
    }
    timed.mean_us = operations.pipelined(marks) / options.iterations;
    if (marks) {
        timed.single_us = communicator.intervals_us();
    }
    return timed;
}

std::optional<Summary> spread(Group& group, std::span<const double> samples) {
    const std::size_t room = std::max<std::size_t>(64, kSampleRoom / static_cast<std::size_t>(group.size()));
    const std::vector<std::string> packed = group.gather(pack_samples(samples, room), 0);
    return group.rank() == 0 ? std::optional(merge_samples(packed)) : std::nullopt;
}

std::int64_t verify(const MeasureCase& what, const MeasureOptions& options, Backend& backend,
                    Communicator& communicator, Group& group, MeasureBuffers& buffers, std::uint64_t salt) {
    std::int64_t wrong = 0;
    for (int round = 0; round < options.check_rounds && wrong == 0; ++round) {
        const Pattern pattern =
            pattern_of(what, group.size(), salt + (static_cast<std::uint64_t>(round) + 1) * 0x9e3779b97f4a7c15U);
        std::int64_t own = 0;
        group.together([&] {
            fill(what, backend, buffers, pattern, group.rank());
            Operations operations(what, options, communicator, group, buffers);
            operations.run(0);
            operations.wait();
            own = count_wrong(what, backend, buffers, pattern, group.rank(), options.verify_threads);
        });
        wrong = static_cast<std::int64_t>(group.sum(static_cast<double>(own)));  // exact below 2^53
    }
    return wrong;
}

}  // namespace

Bandwidth bandwidth(const Collective& collective, std::int64_t count, DataType type, int ranks, double time_us) {
    if (time_us <= 0) {
        return {};
    }
    const auto size = static_cast<std::int64_t>(data_type_size(type));
    const double algorithm = static_cast<double>(collective.algorithm_bytes(count, size, ranks)) / 1e3 / time_us;
    return {algorithm, algorithm * collective.bus_factor(ranks)};
}

PerfHalf measure_half(const MeasureCase& what, const MeasureOptions& options, Backend& backend,
                      Communicator& communicator, Group& group, MeasureBuffers& buffers, std::uint64_t salt) {
    Operations operations(what, options, communicator, group, buffers);
    double estimate = 0;
    group.together([&] {
        fill(what, backend, buffers, pattern_of(what, group.size(), salt), group.rank());
        estimate = operations.warm_up();
    });
    const bool marks = group.max(estimate) >= options.stamp_threshold_us;
    Timed timed;
    group.together([&] { timed = timed_run(operations, options, communicator, marks); });
    PerfHalf half;
    half.rank_mean_us = group.all_values(timed.mean_us);
    half.time_us = std::accumulate(half.rank_mean_us.begin(), half.rank_mean_us.end(), 0.0) / group.size();
    if (timed.single_us.empty()) {
        group.together([&] { timed.single_us = timed_run(operations, options, communicator, true).single_us; });
    }
    half.spread_us = spread(group, timed.single_us);
    const Bandwidth rate = bandwidth(*what.collective, what.sizes.count, what.type, group.size(), *half.time_us);
    half.algbw_gb_s = rate.algorithm_gb_s;
    half.busbw_gb_s = rate.bus_gb_s;
    if (options.check_rounds > 0 && (!what.in_place || in_place_defined(what.collective->kind))) {
        half.wrong = verify(what, options, backend, communicator, group, buffers, salt);
    }
    return half;
}

std::vector<double> operation_times_us(const MeasureCase& what, const MeasureOptions& options,
                                       Communicator& communicator, Group& group, MeasureBuffers& buffers) {
    Operations operations(what, options, communicator, group, buffers);
    operations.warm_up();
    return timed_run(operations, options, communicator, true).single_us;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep_notes.hpp"
#include "bench/verify.hpp"

#include <gpuadapt/bench/measure.hpp>
#include <gpuadapt/bench/sweep.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

namespace gpuadapt {

namespace {

using Clock = std::chrono::steady_clock;

/// A count's group and communicator, made once and used by all collectives.
struct Team {
    std::unique_ptr<Group> own;  ///< nullptr for the whole world
    Group* group = nullptr;      ///< nullptr: this rank is not in it
    std::unique_ptr<Communicator> communicator;
};

/// One collective over one count.
struct Series {
    const Collective* row = nullptr;
    int ranks = 0;
    int first = 0;  ///< number of the first point in the whole sweep; the same on all ranks, members or not
    std::vector<SweepPoint> points;
};

/// What is still to be done takes as long as the same sizes took before.
class Estimate {
  public:
    explicit Estimate(const std::vector<Series>& all) {
        for (const Series& series : all) {
            for (const SweepPoint& point : series.points) {
                ++left_[point.requested_bytes];
            }
        }
    }

    void done(const SweepPoint& point, std::optional<double> seconds) {
        --left_[point.requested_bytes];
        if (seconds) {
            Cost& cost = costs_[point.requested_bytes];
            cost.total += *seconds;
            ++cost.number;
        }
    }

    [[nodiscard]] std::optional<double> remaining_seconds() const {
        if (costs_.empty()) {
            return std::nullopt;
        }
        double seconds = 0;
        for (const auto& [bytes, number] : left_) {
            seconds += number * cost_of(bytes);
        }
        return seconds;
    }

  private:
    struct Cost {
        double total = 0;
        int number = 0;
    };
    /// A size not measured yet costs what the nearest smaller one did, times their ratio where that is the larger part.
    [[nodiscard]] double cost_of(std::int64_t bytes) const {
        auto next = costs_.upper_bound(bytes);
        if (next == costs_.begin()) {
            return next->second.total / next->second.number;
        }
        const auto& [known, cost] = *std::prev(next);
        constexpr double kFlatBytes = 64 << 10;  // below, a point is mostly overhead
        const double ratio = static_cast<double>(bytes) / std::max(kFlatBytes, static_cast<double>(known));
        return cost.total / cost.number * std::max(1.0, ratio);
    }

    std::map<std::int64_t, int> left_;
    std::map<std::int64_t, Cost> costs_;
};

class Sweep {
  public:
    Sweep(SweepPlan plan, Backend& backend, Group& world, const SweepSink& sink, const SweepExpired& expired)
        : plan_(std::move(plan)),
          backend_(backend),
          world_(world),
          sink_(sink),
          awaited_(world.size()),
          watchdog_({fmt::format("rank {} (host {})", world.rank(), world.host()),
                     fmt::format("rank {}（主机 {}）", world.rank(), world.host())},
                    [this, &expired](const Message& text) { expired(text, awaited_); }),
          limit_(static_cast<std::int64_t>(plan_.point_limit_s * 1e3)) {}

    void run() {
        {
            const Watchdog::Phase phase(watchdog_, {"the start of the ranks", "rank 启动"}, limit_);
            fit_into_memory();
            plan_series();
        }
        allocate();
        Estimate estimate(series_);
        for (const Series& series : series_) {
            run_series(series, estimate);
        }
        report_progress({}, estimate);
    }

  private:
    void fit_into_memory() {
        const int on_host = world_.ranks_on_host();
        const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
        verify_threads_ = std::clamp(static_cast<int>(cores) / on_host, 1, 8);
        constexpr double kUnknown = 1e18;
        const auto own = memory_limit_bytes(backend_.memory(), on_host);
        const double least = -world_.max(own ? -static_cast<double>(*own) : -kUnknown);
        if (least >= static_cast<double>(plan_.max_bytes)) {
            return;
        }
        const auto fits = static_cast<std::int64_t>(least);
        if (fits < plan_.min_bytes) {
            const std::string smallest = format_size(plan_.min_bytes);
            const std::string room = format_bytes(fits);
            throw AgreedError(
                ErrorKind::input,
                Message{
                    fmt::format("-b {}: two buffers a rank of that size do not fit into the memory ({} fit); lower "
                                "-b, or free memory",
                                smallest, room),
                    fmt::format("-b {}：每个 rank 两块该大小的缓冲区超出可用内存（可容纳 {}）；请减小 -b 或释放内存",
                                smallest, room)});
        }
        notes_.push_back(memory_note(plan_.max_bytes, fits));
        plan_.max_bytes = fits;
    }

    void plan_series() {
        std::vector<SweepPoint> skipped;
        std::vector<SweepPoint> unsupported;
        for (const CollectiveKind kind : plan_.collectives) {
            for (const int ranks : plan_.counts) {
                Series series{&collective(kind), ranks, total_, sweep_points(plan_, collective(kind), ranks, &skipped)};
                const auto refused = [this](const SweepPoint& point) {
                    return !backend_.supports(point.type, point.op.value_or(ReduceOp::sum));
                };
                std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(unsupported), refused);
                std::erase_if(series.points, refused);
                total_ += static_cast<int>(series.points.size());
                series_.push_back(std::move(series));
            }
        }
        if (!skipped.empty()) {
            notes_.push_back(skipped_note(skipped));
        }
        if (!unsupported.empty()) {
            notes_.push_back(unsupported_note(unsupported, backend_.library()));
        }
        world_.together([this] {
            for (const Finding& note : notes_) {
                if (world_.rank() == 0 && sink_.finding) {
                    sink_.finding(note);
                }
            }
        });
    }

    /// Both buffers are written once, so that no timed operation meets untouched pages.
    void allocate() {
        std::size_t bytes = 0;
        for (const Series& series : series_) {
            for (const SweepPoint& point : series.points) {
                const std::int64_t count = std::max(point.sizes.send_count, point.sizes.recv_count);
                bytes = std::max(bytes, static_cast<std::size_t>(count) * data_type_size(point.type));
            }
        }
        const std::string room = format_bytes(static_cast<std::int64_t>(bytes));
        const Watchdog::Phase phase(watchdog_, {"allocating " + room, "分配 " + room}, limit_);
        world_.together([this, bytes] {
            const std::size_t size = std::max<std::size_t>(bytes, 1);
            buffers_ = {backend_.allocate(size), backend_.allocate(size), bytes};
            const std::vector<std::byte> tile = source_tile({DataType::float32, ReduceOp::sum, 1, 0}, 0, kTileLength);
            fill_tiled(backend_, buffers_.send.data(), size, tile);
            fill_tiled(backend_, buffers_.recv.data(), size, tile);
        });
    }

    Team& team(int ranks) {
        const auto [position, added] = teams_.try_emplace(ranks);
        Team& team = position->second;
        if (!added) {
            return team;
        }
        const Watchdog::Phase phase(
            watchdog_, {fmt::format("connecting {} ranks", ranks), fmt::format("连接 {} 个 rank", ranks)}, limit_);
        awaited_ = world_.size();
        if (ranks == world_.size()) {
            team.group = &world_;
        } else {
            team.own = world_.split(world_.rank() < ranks ? 0 : -1, world_.rank());
            team.group = team.own.get();
        }
        if (team.group != nullptr) {
            awaited_ = ranks;
            team.group->together([&] { team.communicator = backend_.communicator(*team.group); });
        }
        return team;
    }

    void run_series(const Series& series, Estimate& estimate) {
        Team& members = team(series.ranks);
        // The others wait in the agreement at the end, asleep, for as long as the points may take.
        std::optional<Watchdog::Phase> waiting;
        awaited_ = members.group == nullptr ? 0 : series.ranks;
        if (members.group == nullptr) {
            const auto points = static_cast<std::int64_t>(series.points.size());
            waiting.emplace(watchdog_,
                            Message{fmt::format("waiting for {} over {} ranks", series.row->name, series.ranks),
                                    fmt::format("等待 {} 个 rank 的 {}", series.ranks, series.row->name)},
                            limit_ * (3 * points + 2));
        }
        world_.together([&] {
            if (members.group == nullptr) {
                return;
            }
            table_ = make_table(series);
            table_begun_ = false;
            number_ = static_cast<std::uint64_t>(series.first);
            for (const SweepPoint& point : series.points) {
                run_point(*series.row, point, members, estimate);
                ++number_;
            }
            awaited_ = series.ranks == world_.size() ? series.ranks : 0;
            waiting.emplace(watchdog_,
                            Message{fmt::format("the end of {} over {} ranks", series.row->name, series.ranks),
                                    fmt::format("{} 个 rank 的 {} 结束", series.ranks, series.row->name)},
                            limit_);
        });
    }

    void run_point(const Collective& row, const SweepPoint& point, const Team& members, Estimate& estimate) {
        Group& group = *members.group;
        bool skip = false;
        {
            const Watchdog::Phase phase(watchdog_, Message::same(describe(row, point)), limit_);
            std::string answer;
            group.together([&] { answer = ask(point, estimate); });
            skip = group.broadcast(answer, 0) == "skip";
        }
        std::optional<double> seconds;
        if (!skip) {
            const Clock::time_point start = Clock::now();
            const Row cells = measure(row, point, members);
            seconds = std::chrono::duration<double>(Clock::now() - start).count();
            const std::string which = describe(row, point);
            const Watchdog::Phase phase(watchdog_, {"writing the result of " + which, "写入 " + which + " 的结果"},
                                        limit_);
            group.together([&] { deliver(cells); });
        }
        ++done_;
        estimate.done(point, seconds);
    }

    /// On rank 0: whether the point is measured.
    std::string ask(const SweepPoint& point, const Estimate& estimate) {
        if (world_.rank() != 0) {
            return {};
        }
        if (sink_.stop && sink_.stop()) {
            const std::string what = describe(collective(point.collective), point);
            throw Error(ErrorKind::interrupted, Message{"interrupted before " + what, "在 " + what + " 之前被中断"});
        }
        if (sink_.already_measured && sink_.already_measured(point)) {
            return "skip";
        }
        report_progress(describe(collective(point.collective), point), estimate);
        return "measure";
    }

    Row measure(const Collective& row, const SweepPoint& point, const Team& members) {
        const auto size = static_cast<std::int64_t>(data_type_size(point.type));
        PerfPoint result;
        result.requested_bytes = point.requested_bytes;
        result.size_bytes = std::max(point.sizes.send_count, point.sizes.recv_count) * size;
        result.count = point.sizes.count;
        result.type = data_type_name(point.type);
        result.redop = point.op ? std::string(reduce_op_name(*point.op)) : "none";
        result.root = point.root;
        result.out_of_place = measure_placement(row, point, members, false);
        result.in_place = measure_placement(row, point, members, true);
        return perf_row(result);
    }

    PerfHalf measure_placement(const Collective& row, const SweepPoint& point, const Team& members, bool in_place) {
        const std::string which = describe(row, point);
        const Watchdog::Phase phase(
            watchdog_,
            {which + (in_place ? " in place" : " out of place"), which + (in_place ? "（原位）" : "（非原位）")},
            limit_);
        MeasureOptions options;
        options.iterations = plan_.iterations;
        options.warm_up = plan_.warm_up;
        options.check_rounds = plan_.check_rounds;
        options.limit = limit_;
        options.verify_threads = verify_threads_;
        const MeasureCase what{
            &row, point.sizes, point.type, point.op.value_or(ReduceOp::sum), std::max(0, point.root), in_place};
        return measure_half(what, options, backend_, *members.communicator, *members.group, buffers_,
                            2 * number_ + (in_place ? 1 : 0));
    }

    [[nodiscard]] Table make_table(const Series& series) const {
        Table table = make_perf_table(std::string(series.row->name), series.ranks);
        table.labels["backend"] = backend_.name();
        table.labels["library"] = backend_.library();
        table.labels["iterations"] = std::to_string(plan_.iterations);
        table.labels["warm_up"] = std::to_string(plan_.warm_up);
        table.labels["check_rounds"] = std::to_string(plan_.check_rounds);
        return table;
    }

    void deliver(const Row& cells) {
        if (world_.rank() != 0) {
            return;
        }
        if (!table_begun_ && sink_.begin_table) {
            sink_.begin_table(table_);
        }
        table_begun_ = true;
        if (sink_.row) {
            sink_.row(table_, cells);
        }
    }

    void report_progress(const std::string& current, const Estimate& estimate) {
        if (world_.rank() == 0 && sink_.progress) {
            sink_.progress({done_, total_, current, estimate.remaining_seconds()});
        }
    }

    SweepPlan plan_;
    Backend& backend_;
    Group& world_;
    const SweepSink& sink_;
    std::atomic<int> awaited_;  ///< of SweepExpired; read by the watchdog's thread
    Watchdog watchdog_;
    std::chrono::milliseconds limit_;
    int verify_threads_ = 1;
    std::vector<Finding> notes_;
    std::vector<Series> series_;
    int total_ = 0;
    int done_ = 0;
    MeasureBuffers buffers_;
    std::map<int, Team> teams_;
    Table table_;
    bool table_begun_ = false;
    std::uint64_t number_ = 0;  ///< of the point under way
};

}  // namespace

void run_sweep(const SweepPlan& plan, Backend& backend, Group& world, const SweepSink& sink,
               const SweepExpired& expired) {
    validate(plan, world.size());
    Sweep(plan, backend, world, sink, expired).run();
}

std::vector<RankPlace> rank_places(Group& world) {
    const std::vector<std::string> texts = world.gather(std::to_string(getpid()) + ' ' + world.host(), 0);
    std::vector<RankPlace> places;
    for (const std::string& text : texts) {
        const std::size_t blank = text.find(' ');
        RankPlace place;
        place.rank = static_cast<int>(places.size());
        place.pid = parse_integer(std::string_view(text).substr(0, blank)).value_or(0);
        place.host = blank == std::string::npos ? "" : text.substr(blank + 1);
        places.push_back(std::move(place));
    }
    return places;
}

}  // namespace gpuadapt

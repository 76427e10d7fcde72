// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/bench/sweep.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

/// More sizes than this are a slip of the pen: -b 8 -e 2G -f 1 -i 8.
constexpr std::size_t kMostSizes = 100'000;

template <class Value>
bool has_repeats(const std::vector<Value>& values) {
    return std::set<Value>(values.begin(), values.end()).size() != values.size();
}

template <class Value>
void require_list(const std::vector<Value>& values, const char* option) {
    if (values.empty()) {
        throw input_error(Message{fmt::format("{}: the list is empty; name at least one", option),
                                  fmt::format("{}：列表为空，至少写一个", option)});
    }
    if (has_repeats(values)) {
        throw input_error(Message{fmt::format("{}: a value is there twice; name each once", option),
                                  fmt::format("{}：有重复的值，每个只写一次", option)});
    }
}

void validate_sizes(const SweepPlan& plan) {
    if (plan.min_bytes < 1) {
        throw input_error(Message{"-b: the smallest size must be at least 1 byte", "-b：最小字节数须至少为 1"});
    }
    if (plan.max_bytes < plan.min_bytes) {
        const std::string largest = format_size(plan.max_bytes);
        const std::string smallest = format_size(plan.min_bytes);
        throw input_error(Message{fmt::format("-e {} is smaller than -b {}; exchange them", largest, smallest),
                                  fmt::format("-e {} 小于 -b {}；请对调", largest, smallest)});
    }
    if (plan.step_factor < 1) {
        throw input_error(Message{"-f: the step factor must be at least 1 (1 adds -i instead)",
                                  "-f：系数须至少为 1（为 1 时按 -i 递增）"});
    }
    if (plan.step_factor == 1) {
        if (plan.step_bytes < 1) {
            throw input_error(Message{"-i: the step must be at least 1 byte, or give a step factor above 1 with -f",
                                      "-i：步长须至少为 1 字节，或用 -f 指定大于 1 的系数"});
        }
        const auto steps = static_cast<std::size_t>((plan.max_bytes - plan.min_bytes) / plan.step_bytes);
        if (steps >= kMostSizes) {
            const std::string step = format_size(plan.step_bytes);
            throw input_error(
                Message{fmt::format("-i {}: that makes {} sizes; take a larger step, or -f 2", step, steps + 1),
                        fmt::format("-i {}：会产生 {} 个大小；请加大步长或用 -f 2", step, steps + 1)});
        }
    }
}

void validate_ranks(const SweepPlan& plan, int world_size) {
    require_list(plan.counts, "--gpus");
    const auto [smallest, largest] = std::minmax_element(plan.counts.begin(), plan.counts.end());
    if (*smallest < 1) {
        throw input_error(Message{"--gpus: a count must be at least 1", "--gpus：卡数须至少为 1"});
    }
    if (*largest > world_size) {
        throw input_error(Message{
            fmt::format("--gpus {}: only {} ranks were started; start more, or lower the count", *largest, world_size),
            fmt::format("--gpus {}：只启动了 {} 个 rank；请增加 rank 数或减少卡数", *largest, world_size)});
    }
    require_list(plan.roots, "-r");
    for (const int root : plan.roots) {
        if (root < 0 || root >= *smallest) {
            throw input_error(
                Message{fmt::format("-r {}: the root must be a rank of every count, 0 to {}", root, *smallest - 1),
                        fmt::format("-r {}：根须是每种卡数中的 rank，0 到 {}", root, *smallest - 1)});
        }
    }
}

std::vector<std::optional<ReduceOp>> ops_of(const SweepPlan& plan, const Collective& row) {
    if (!row.has_redop) {
        return {std::nullopt};
    }
    return {plan.ops.begin(), plan.ops.end()};
}

}  // namespace

void validate(const SweepPlan& plan, int world_size) {
    require_list(plan.collectives, "--ops");
    require_list(plan.types, "-d");
    require_list(plan.ops, "-o");
    validate_sizes(plan);
    validate_ranks(plan, world_size);
    if (plan.iterations < 1) {
        throw input_error(Message{"-n: at least one iteration is needed", "-n：至少迭代一次"});
    }
    if (plan.warm_up < 0) {
        throw input_error(Message{"-w: the number of warm-up operations cannot be negative", "-w：预热次数不能为负"});
    }
    if (plan.check_rounds < 0) {
        throw input_error(Message{"-c: the number of verifications cannot be negative", "-c：校验轮数不能为负"});
    }
    if (!(plan.point_limit_s > 0) || plan.point_limit_s > 1e9) {
        throw input_error(Message{"--timeout: the limit of a point must be above 0 and at most 1e9 seconds",
                                  "--timeout：单点时限须大于 0 且不超过 1e9 秒"});
    }
}

std::vector<std::int64_t> requested_sizes(const SweepPlan& plan) {
    std::vector<std::int64_t> sizes;
    std::int64_t size = plan.min_bytes;
    while (size <= plan.max_bytes) {
        sizes.push_back(size);
        if (plan.step_factor > 1) {
            if (size > plan.max_bytes / plan.step_factor) {
                break;
            }
            size *= plan.step_factor;
        } else {
            if (size > plan.max_bytes - plan.step_bytes) {
                break;
            }
            size += plan.step_bytes;
        }
    }
    return sizes;
}

std::vector<SweepPoint> sweep_points(const SweepPlan& plan, const Collective& collective, int ranks,
                                     std::vector<SweepPoint>* skipped) {
    std::vector<SweepPoint> points;
    const std::vector<int> roots = collective.has_root ? plan.roots : std::vector<int>{-1};
    const std::vector<std::int64_t> sizes = requested_sizes(plan);
    for (const DataType type : plan.types) {
        const auto element_size = static_cast<std::int64_t>(data_type_size(type));
        for (const std::optional<ReduceOp> op : ops_of(plan, collective)) {
            for (const int root : roots) {
                std::int64_t last_count = 0;
                for (const std::int64_t bytes : sizes) {
                    SweepPoint point{collective.kind, ranks, type, op, root, bytes, {}};
                    point.sizes = collective.sizes(bytes / element_size, element_size, ranks);
                    if (point.sizes.count > 0 && point.sizes.count != last_count) {
                        last_count = point.sizes.count;
                        points.push_back(point);
                    } else if (skipped != nullptr) {
                        skipped->push_back(point);
                    }
                }
            }
        }
    }
    return points;
}

std::optional<std::int64_t> memory_limit_bytes(const BackendMemory& memory, int ranks_on_host) {
    if (!memory.available_bytes) {
        return std::nullopt;
    }
    constexpr std::int64_t kBuffers = 2;
    const std::int64_t usable = *memory.available_bytes / 8 * 7;
    const std::int64_t limit = usable / (memory.shared_by_host ? std::max(1, ranks_on_host) : 1) / kBuffers;
    constexpr std::int64_t kStep = std::int64_t{1} << 20;
    return limit >= kStep ? limit / kStep * kStep : limit;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "cli/perf_options.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpuadapt::cli {
namespace {

constexpr int kMost = 1'000'000'000;  ///< of anything that is counted

std::vector<std::string> split_list(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    while (at <= text.size()) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        parts.emplace_back(trim(text.substr(at, end - at)));
        at = end + 1;
    }
    return parts;
}

Error wrong(const char* option, const std::string& given, const Message& takes) {
    return input_error(
        Message{fmt::format("{} {}: {}", option, given.empty() ? "(empty)" : given, takes.en),
                fmt::format("{} {}：无效；可用：{}", option, given.empty() ? "（空）" : given, takes.zh)});
}

Message all_or(const std::string& names) {
    return {"all, or names of: " + names, "all，或以下名称：" + names};
}

/// The values of a comma list; `all` stands for `everything`. Repeated ones count once.
template <class T>
std::vector<T> parse_list(const char* option, const std::string& text, const std::vector<T>& everything,
                          const std::function<std::optional<T>(const std::string&)>& parse, const Message& takes) {
    if (text == "all" && !everything.empty())
        return everything;
    std::vector<T> values;
    for (const std::string& part : split_list(text)) {
        const std::optional<T> value = parse(part);
        if (!value)
            throw wrong(option, part, takes);
        if (std::find(values.begin(), values.end(), *value) == values.end())
            values.push_back(*value);
    }
    return values;
}

std::int64_t parse_size_option(const char* option, const std::string& text) {
    const auto bytes = parse_size(text);
    if (!bytes)
        throw wrong(option, text, {"a size in bytes such as 8, 1K, 64M, 2G", "字节数，如 8、1K、64M、2G"});
    return *bytes;
}

template <class Array, class Name>
std::string names_of(const Array& values, Name name, const char* separator = ", ") {
    std::vector<std::string> names;
    names.reserve(values.size());
    for (const auto& value : values)
        names.emplace_back(name(value));
    return fmt::format("{}", fmt::join(names, separator));
}

std::string all_collectives() {
    return names_of(kCollectives, [](const Collective& row) { return row.name; });
}

/// Which points: counts, collectives, sizes.
void add_plan_options(CLI::App& app, PerfOptions& o, Lang lang) {
    app.add_option(
           "--gpus", o.gpus,
           pick(lang,
                "GPU counts, e.g. 4,8,16; count k is the first k ranks in host and slot order (default: 2; started by "
                "mpirun or srun, all their ranks)",
                "卡数列表，如 4,8,16；k 表示按主机与槽位顺序的前 k 个 rank（默认：2；由 mpirun 或 srun "
                "启动时为其全部 rank）"))
        ->type_name("N,...")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.add_option("--ops", o.ops,
                   fmt::format("{} {}", pick(lang, "Collectives, or all:", "算子列表或 all："), all_collectives()))
        ->type_name("NAME,...");
    app.add_option("-b,--minbytes", o.min_bytes, pick(lang, "Smallest size (default 1K)", "最小字节数（默认 1K）"))
        ->type_name("SIZE");
    app.add_option("-e,--maxbytes", o.max_bytes, pick(lang, "Largest size (default 2G)", "最大字节数（默认 2G）"))
        ->type_name("SIZE");
    app.add_option("-f,--stepfactor", o.step_factor,
                   pick(lang, "Factor between sizes (default 2)", "大小的倍增系数（默认 2）"))
        ->type_name("N");
    app.add_option("-i,--stepbytes", o.step_bytes,
                   pick(lang, "Bytes between sizes, instead of -f", "大小的递增字节数，代替 -f"))
        ->type_name("SIZE");
}

/// How each point is measured; nccl-tests' letters.
void add_measure_options(CLI::App& app, PerfOptions& o, Lang lang) {
    app.add_option("-n,--iters", o.iterations, pick(lang, "Timed iterations (default 100)", "计时迭代次数（默认 100）"))
        ->type_name("N")
        ->check(CLI::Range(1, kMost));
    app.add_option("-w,--warmup_iters", o.warm_up,
                   pick(lang, "Warm-up operations of each size (default 5)", "每个大小的预热次数（默认 5）"))
        ->type_name("N")
        ->check(CLI::Range(0, kMost));
    app.add_option(
           "-c,--check", o.check,
           pick(lang, "Rounds of data verification; 0 = none (default 1)", "数据校验轮数，0 表示不校验（默认 1）"))
        ->type_name("N")
        ->check(CLI::Range(0, kMost));
    app.add_option(
           "-d,--datatype", o.types,
           fmt::format("{} {}", pick(lang, "Types, or all (default bfloat16):", "数据类型或 all（默认 bfloat16）："),
                       names_of(kDataTypes, data_type_name)))
        ->type_name("TYPE,...");
    app.add_option("-o,--op", o.redops,
                   fmt::format("{} {}", pick(lang, "Reductions, or all (default sum):", "归约操作或 all（默认 sum）："),
                               names_of(kReduceOps, reduce_op_name)))
        ->type_name("OP,...");
    app.add_option("-r,--root", o.root,
                   pick(lang, "Root of broadcast, reduce, gather, scatter (default 0)",
                        "broadcast、reduce、gather、scatter 的根 rank（默认 0）"))
        ->type_name("RANK")
        ->check(CLI::Range(0, kMost));
}

/// Where the ranks run and where the results go.
void add_run_options(CLI::App& app, PerfOptions& o, Lang lang) {
    app.add_option("--timeout", o.timeout_s,
                   pick(lang, "Seconds that the start, and each point, may take (default 300)",
                        "启动及每个测试点的时限，秒（默认 300）"))
        ->type_name("SEC");
    app.add_option("--backend", o.backend,
                   pick(lang, "auto, gpu or host (host memory with MPI collectives)",
                        "auto、gpu 或 host（主机内存与 MPI 集合通信）"))
        ->type_name("NAME")
        ->check(CLI::IsMember({"auto", "gpu", "host"}));
    app.add_option("--slots", o.slots,
                   pick(lang, "Ranks that this host takes; more are refused", "本机可容纳的 rank 数；超出则拒绝"))
        ->type_name("N")
        ->check(CLI::Range(1, 1000000));
    app.add_option("--mpirun", o.mpirun,
                   pick(lang, "The mpirun to use (default: found)", "使用的 mpirun（默认自动查找）"))
        ->type_name("PATH");
    app.add_option("--out", o.out,
                   pick(lang, "The record (default perf-DATE-TIME.json, in UTC); - is stdout, without the log",
                        "记录文件（默认 perf-日期-时间.json，UTC）；- 为 stdout，不再输出日志"))
        ->type_name("FILE");
    app.add_option("--log-format", o.log_form,
                   pick(lang, "nccl, or guide: with the kernel column, as the guide's script reads it",
                        "nccl，或 guide：带 kernel 列，供指南脚本读取"))
        ->type_name("FORM")
        ->check(CLI::IsMember({"nccl", "guide"}));
}

}  // namespace

void add_perf_options(CLI::App& app, PerfOptions& options, Lang lang) {
    add_plan_options(app, options, lang);
    add_measure_options(app, options, lang);
    add_run_options(app, options, lang);
}

SweepPlan make_plan(const PerfOptions& o) {
    SweepPlan plan;
    if (!o.gpus.empty())
        plan.counts = parse_list<int>("--gpus", o.gpus, {},
                                      [](const std::string& text) -> std::optional<int> {
                                          const auto value = parse_integer(text);
                                          if (!value || *value < 1 || *value > 1'000'000)
                                              return std::nullopt;
                                          return static_cast<int>(*value);
                                      },
                                      {"counts from 1 on, e.g. --gpus 4,8,16", "从 1 起的卡数，如 --gpus 4,8,16"});
    std::vector<CollectiveKind> kinds;
    kinds.reserve(kCollectives.size());
    for (const Collective& row : kCollectives)
        kinds.push_back(row.kind);
    plan.collectives = parse_list<CollectiveKind>(
        "--ops", o.ops, kinds,
        [](const std::string& text) -> std::optional<CollectiveKind> {
            const Collective* row = find_collective(text);
            return row != nullptr ? std::optional(row->kind) : std::nullopt;
        },
        all_or(all_collectives()));
    plan.types = parse_list<DataType>("-d", o.types, {kDataTypes.begin(), kDataTypes.end()}, parse_data_type,
                                      all_or(names_of(kDataTypes, data_type_name)));
    plan.ops = parse_list<ReduceOp>("-o", o.redops, {kReduceOps.begin(), kReduceOps.end()}, parse_reduce_op,
                                    all_or(names_of(kReduceOps, reduce_op_name)));
    plan.min_bytes = parse_size_option("-b", o.min_bytes);
    plan.max_bytes = parse_size_option("-e", o.max_bytes);
    if (o.step_bytes.empty()) {
        const auto factor = parse_integer(o.step_factor);
        if (!factor || *factor < 2 || *factor > 1'000'000)
            throw wrong("-f", o.step_factor, {"a whole number from 2 on", "从 2 起的整数"});
        plan.step_factor = static_cast<int>(*factor);
    } else {
        plan.step_factor = 1;
        plan.step_bytes = parse_size_option("-i", o.step_bytes);
    }
    plan.iterations = o.iterations;
    plan.warm_up = o.warm_up;
    plan.check_rounds = o.check;
    plan.roots = {o.root};
    plan.point_limit_s = o.timeout_s;
    return plan;
}

void require_points(const SweepPlan& plan) {
    for (const CollectiveKind kind : plan.collectives)
        for (const int count : plan.counts)
            if (!sweep_points(plan, collective(kind), count).empty())
                return;
    const std::string size = format_size(plan.max_bytes);
    const std::string types = names_of(
        plan.types, [](DataType type) { return fmt::format("{} ({} B)", data_type_name(type), data_type_size(type)); });
    throw input_error(Message{
        fmt::format(
            "-e {}: nothing is left to measure, since sizes are rounded down to whole elements of -d {}, and to "
            "16 bytes a rank where each has its own share; raise -e",
            size, types),
        fmt::format(
            "-e {}：没有可测的大小：大小按 -d {} 的整元素向下取整，各 rank 有各自份额的算子按每 rank 16 字节取整；"
            "请增大 -e",
            size, types)});
}

std::map<std::string, std::string> plan_parameters(const SweepPlan& plan) {
    std::map<std::string, std::string> parameters;
    parameters["--gpus"] = fmt::format("{}", fmt::join(plan.counts, ","));
    parameters["--ops"] = names_of(
        plan.collectives, [](CollectiveKind kind) { return collective(kind).name; }, ",");
    parameters["-b"] = std::to_string(plan.min_bytes);
    parameters["-e"] = std::to_string(plan.max_bytes);
    if (plan.step_factor > 1)
        parameters["-f"] = std::to_string(plan.step_factor);
    else
        parameters["-i"] = std::to_string(plan.step_bytes);
    parameters["-n"] = std::to_string(plan.iterations);
    parameters["-w"] = std::to_string(plan.warm_up);
    parameters["-c"] = std::to_string(plan.check_rounds);
    parameters["-d"] = names_of(plan.types, data_type_name, ",");
    parameters["-o"] = names_of(plan.ops, reduce_op_name, ",");
    parameters["-r"] = fmt::format("{}", fmt::join(plan.roots, ","));
    return parameters;
}

report::LogForm log_form(const PerfOptions& options) {
    return options.log_form == "guide" ? report::LogForm::guide : report::LogForm::nccl_tests;
}

}  // namespace gpuadapt::cli

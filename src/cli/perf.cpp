// SPDX-License-Identifier: Apache-2.0
#include "cli/perf_run.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/driver/mpi.hpp>
#include <gpuadapt/host/live_root.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <algorithm>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace gpuadapt::cli {
namespace {

/// Ranks a core that host memory takes: for trying out plans of many ranks, not for numbers.
constexpr int kMostRanksPerThread = 16;

std::string random_id() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

void check_slots(const SweepPlan& plan, const PerfOptions& options) {
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int slots = options.slots.value_or(kMostRanksPerThread * threads);
    const int most = *std::max_element(plan.counts.begin(), plan.counts.end());
    if (most > slots)
        throw input_error(Message{
            fmt::format(
                "--gpus {}: this host has {} slots{}; ask for fewer, or raise --slots", most, slots,
                options.slots ? "" : fmt::format(" for host memory ({} a hardware thread)", kMostRanksPerThread)),
            fmt::format("--gpus {}：本机只有 {} 个槽位；请减少卡数或增大 --slots", most, slots)});
}

int run_perf(Session& session, const PerfOptions& options) {
    SweepPlan plan = make_plan(options);
    if (options.out == "-")
        session.json = true;  // one of the two has stdout
    LiveRoot root;
    if (launched_by_mpi(environment_variable))
        return run_rank(session, options, std::move(plan), root);
    if (const auto mistake = launch_mistake(environment_variable))
        throw Error(*mistake);
    const Machine machine = probe_machine(root);
    if (plan.counts.empty())
        plan.counts = {2};
    check_slots(plan, options);
    validate(plan, *std::max_element(plan.counts.begin(), plan.counts.end()));
    require_points(plan);
    say_backend(session, options, machine);
    if (plan.counts == std::vector<int>{1})
        return run_alone(session, options, plan, root, machine);
    return run_launcher(session, options, plan, root, machine);
}

}  // namespace

/// Whoever has GPUs must be told, and whoever asked for them refused.
void say_backend(const Session& session, const PerfOptions& options, const Machine& machine) {
    const std::size_t gpus = machine.gpus.size();
    if (options.backend == "gpu")
        throw tool_error(gpus == 0 ? Message{"--backend gpu: no GPU was found on this machine (see gpuadapt probe)",
                                             "--backend gpu：本机未发现 GPU（见 gpuadapt probe）"}
                                   : Message{"--backend gpu: this version has no GPU backend; use --backend host",
                                             "--backend gpu：本版本尚无 GPU 后端；请用 --backend host"});
    if (options.backend == "host")
        return;
    if (gpus == 0)
        say(session, {"No GPU was found: measuring host memory over MPI.", "未发现 GPU：通过 MPI 测试主机内存。"});
    else
        say(session, {fmt::format("{} GPUs are here, but this version measures host memory over MPI only.", gpus),
                      fmt::format("本机有 {} 个 GPU，但本版本只能通过 MPI 测试主机内存。", gpus)});
}

std::optional<Finding> oversubscription(const std::string& host, int ranks, int cores) {
    if (ranks <= cores)
        return std::nullopt;
    Finding finding;
    finding.severity = Severity::note;
    finding.check = "perf.oversubscribed";
    finding.subject = host;
    finding.title = {"more ranks than cores", "rank 数多于核数"};
    finding.evidence = {fmt::format("{} ranks share {} core{}", ranks, cores, cores == 1 ? "" : "s"),
                        fmt::format("{} 个 rank 共用 {} 个核", ranks, cores)};
    finding.advice = {"Times of these counts contain waiting for a core.", "这些卡数的时间含有等待核的时间。"};
    return finding;
}

Record start_record(const Session& session, const Machine* machine) {
    Record record;
    record.tool_version = GPUADAPT_VERSION;
    record.run_id = random_id();
    record.started = utc_now();
    if (machine != nullptr)
        record.machines = {{machine->os.hostname.value_or("localhost"), *machine}};
    Launch launch;
    launch.command = session.command_line;
    record.launch = launch;
    return record;
}

std::string record_path(const PerfOptions& options) {
    return options.out.empty() ? dated_name("perf", ".json") : options.out;
}

Action define_perf(CLI::App& app, Lang lang) {
    auto options = std::make_shared<PerfOptions>();
    add_perf_options(app, *options, lang);
    return [options](Session& session) { return run_perf(session, *options); };
}

}  // namespace gpuadapt::cli

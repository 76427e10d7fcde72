// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"
#include "cli/perf_run.hpp"

#include <gpuadapt/bench/launch.hpp>
#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/driver/mpi.hpp>
#include <gpuadapt/host/command.hpp>
#include <gpuadapt/host/process.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace gpuadapt::cli {
namespace {

constexpr std::chrono::seconds kGrace{5};
constexpr std::size_t kKeptErrors = 64 << 10;

/// Cores that ranks may use: not more than this process may, nor than there are without hyper-threads.
int usable_cores(const Machine& machine) {
    int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    if (machine.cpu.cores)
        cores = std::min(cores, std::max(1, *machine.cpu.cores));
    return cores;
}

LaunchPlan make_launch_plan(const Session& session, const SweepPlan& plan, bool gpus_given, const Mpirun& mpirun,
                            Root& root, int cores) {
    LaunchPlan launch;
    launch.ranks = *std::max_element(plan.counts.begin(), plan.counts.end());
    launch.cores = cores;
    launch.root = geteuid() == 0;
    launch.host_memory = true;
    launch.environment[kRankVariable] = "1";
    if (mpirun.libmpi)
        launch.environment[std::string(kLibmpiVariable)] = *mpirun.libmpi;
    for (const auto& [name, value] : root.environment())
        launch.exported.push_back(name);
    const auto self = root.link("/proc/self/exe");
    launch.command.push_back(self.value_or(session.command_line.front()));
    launch.command.insert(launch.command.end(), session.command_line.begin() + 1, session.command_line.end());
    if (!gpus_given) {
        launch.command.push_back("--gpus");
        launch.command.push_back(fmt::format("{}", fmt::join(plan.counts, ",")));
    }
    return launch;
}

/// The end of what a program wrote, for the moment when we must explain what went wrong.
class Tail {
  public:
    void add(std::string_view line) {
        text_ += line;
        text_ += '\n';
        if (text_.size() > 2 * kKeptErrors)
            text_.erase(0, text_.size() - kKeptErrors);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

/// One run of mpirun: its lines go to the receiver, what is no line of ours is kept.
struct Followed {
    ExitResult exit;
    int signal = 0;         ///< that stopped us; 0 for none
    bool started = false;   ///< a rank has spoken
    bool too_late = false;  ///< none has within the limit, so we ended mpirun
    Tail errors;
};

Followed follow(const std::vector<std::string>& command, std::chrono::duration<double> start_limit,
                PerfReceiver& receiver) {
    Followed followed;
    const InterruptGuard guard;
    ProcessOptions options;
    options.death_signal = SIGTERM;
    Process process(command, options);
    const auto take = [&](std::string_view line) {
        if (line.empty() || line.front() != kLineMark) {
            spdlog::debug("mpirun: {}", clean_utf8(line));
            followed.errors.add(line);
            return;
        }
        followed.started = true;
        receiver.line(line.substr(1));
    };
    const auto begin = std::chrono::steady_clock::now();
    ProcessEvents events;
    events.out = take;
    events.err = take;
    events.tick = [&] {
        if (followed.signal == 0 && InterruptGuard::received() != 0) {
            followed.signal = InterruptGuard::received();
            process.terminate(kGrace);
        }
        if (!followed.started && !followed.too_late && std::chrono::steady_clock::now() - begin > start_limit) {
            followed.too_late = true;
            process.terminate(kGrace);
        }
    };
    followed.exit = process.wait(events);
    // A batch system ends mpirun together with us, which may then be gone before the next tick.
    if (followed.signal == 0)
        followed.signal = InterruptGuard::received();
    return followed;
}

Finding interrupted_finding(int signal) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.check = "perf.interrupted";
    finding.subject = std::string(signal_name(signal));
    finding.title = {"the measurement was interrupted", "测试被中断"};
    finding.evidence = {fmt::format("{} came; all points measured until then are kept", signal_name(signal)),
                        fmt::format("收到 {}；此前测到的点已全部保存", signal_name(signal))};
    finding.advice = {"Run the same command again.", "重新执行同一命令。"};
    return finding;
}

Finding dead_rank_finding(const DeadRank& dead, const std::vector<RankPlace>& places) {
    const std::string how = dead.signal ? fmt::format("signal {}", *dead.signal)
                                        : fmt::format("exit status {}", dead.exit_status.value_or(-1));
    Finding finding;
    finding.severity = Severity::failure;
    finding.check = "perf.rank_died";
    finding.subject = fmt::format("rank {}", dead.rank);
    finding.title = {fmt::format("rank {} died", dead.rank), fmt::format("rank {} 异常退出", dead.rank)};
    // Open MPI names no host for a rank that ended itself, and 4.1 process 0 for one whose end the kernel told it.
    const std::string host = dead.host.empty() ? host_of(dead.rank, places) : dead.host;
    const bool pid_known = dead.pid.value_or(0) > 0;
    if (host.empty())
        finding.evidence = Message::same(how);
    else
        finding.evidence = {
            fmt::format("host {}{}: {}", host, pid_known ? fmt::format(", process {}", *dead.pid) : "", how),
            fmt::format("主机 {}{}：{}", host, pid_known ? fmt::format("，进程 {}", *dead.pid) : "", how)};
    finding.advice = {"Look into that host's kernel log (out of memory, a machine check) and run again.",
                      "查看该主机的内核日志（内存不足、机器检查错误）后重测。"};
    return finding;
}

/// Why mpirun ended without a complete run, as an Error to be reported; findings go to the receiver on the way.
Error explain(const Followed& followed, PerfReceiver& receiver) {
    if (followed.signal != 0) {
        receiver.finding(interrupted_finding(followed.signal));
        return {ErrorKind::interrupted, Message{fmt::format("interrupted by {}", signal_name(followed.signal)),
                                                fmt::format("被 {} 中断", signal_name(followed.signal))}};
    }
    const std::string& text = followed.errors.text();
    if (followed.too_late)
        return {
            ErrorKind::interrupted,
            Message{fmt::format("mpirun did not bring the ranks up within the limit of --timeout; it said: {}",
                                text.empty() ? "nothing" : text),
                    fmt::format("mpirun 未能在 --timeout 时限内启动 rank，其输出：{}", text.empty() ? "无" : text)}};
    const auto places = receiver.record().launch ? receiver.record().launch->ranks : std::vector<RankPlace>{};
    // The ranks that waited too long end themselves and the others: what mpirun then says of dead ranks is no cause.
    if (!receiver.time_outs().empty()) {
        const Finding finding = time_out_finding(receiver.time_outs(), places);
        receiver.finding(finding);
        return {ErrorKind::interrupted,
                Message{fmt::format("a time limit ended the run: {} ({})", finding.title.en, finding.evidence.en),
                        fmt::format("时限已到，测试结束：{}（{}）", finding.title.zh, finding.evidence.zh)}};
    }
    if (const auto dead = parse_dead_rank(text); dead && dead->rank >= 0) {
        const Finding finding = dead_rank_finding(*dead, places);
        receiver.finding(finding);
        return tool_error(Message{fmt::format("{} ({})", finding.title.en, finding.evidence.en),
                                  fmt::format("{}（{}）", finding.title.zh, finding.evidence.zh)});
    }
    if (const auto finding = explain_mpirun(text)) {
        receiver.finding(*finding);
        return tool_error(Message{fmt::format("mpirun: {}. {}", finding->title.en, finding->advice.en),
                                  fmt::format("mpirun：{}。{}", finding->title.zh, finding->advice.zh)});
    }
    const std::string how = followed.exit.kind == ExitResult::Kind::signalled
                                ? fmt::format("signal {}", followed.exit.code)
                                : fmt::format("status {}", followed.exit.code);
    const std::string said =
        text.empty() ? "nothing" : "\n" + text.substr(text.size() - std::min<std::size_t>(text.size(), 2000));
    return tool_error(Message{fmt::format("mpirun ended with {} before the run was complete; it said: {}", how, said),
                              fmt::format("mpirun 在测试完成前退出（{}），其输出：{}", how, said)});
}

}  // namespace

int run_launcher(Session& session, const PerfOptions& options, const SweepPlan& plan, Root& root,
                 const Machine& machine) {
    const Mpirun mpirun = find_mpirun(
        root, program_path(), options.mpirun.empty() ? std::nullopt : std::optional<std::string>(options.mpirun));
    const int cores = usable_cores(machine);
    const LaunchPlan launch = make_launch_plan(session, plan, !options.gpus.empty(), mpirun, root, cores);
    const std::vector<std::string> command = mpirun_command(mpirun, launch);
    spdlog::debug("{}", clean_utf8(fmt::format("{}", fmt::join(command, " "))));

    Record start = start_record(session, &machine);
    // As somebody would type it: without the variable that makes the ranks speak to us.
    LaunchPlan typed = launch;
    typed.environment.erase(kRankVariable);
    start.launch->launcher = mpirun_command(mpirun, typed);
    start.launch->environment = root.environment();
    PerfReceiver receiver(session, std::move(start), record_path(options), log_form(options));
    if (const auto note = oversubscription(machine.os.hostname.value_or("localhost"), launch.ranks, cores))
        receiver.finding(*note);
    const Followed followed = follow(command, std::chrono::duration<double>(options.timeout_s), receiver);
    std::optional<Error> error = receiver.error();
    if (!error && !receiver.complete())
        error = explain(followed, receiver);
    return receiver.finish(error);
}

}  // namespace gpuadapt::cli

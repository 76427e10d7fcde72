// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"
#include "cli/perf_run.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/driver/mpi.hpp>
#include <gpuadapt/host/process.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace gpuadapt::cli {
namespace {

/// Takes a line of the protocol; empty on ranks other than 0.
using LineSink = std::function<void(const std::string&)>;

void send_line(int descriptor, const std::string& line) {
    const std::string whole = fmt::format("{}{}\n", kLineMark, line);
    std::string_view left = whole;
    while (!left.empty()) {
        const ssize_t written = write(descriptor, left.data(), left.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            throw tool_error(Message{"the launching process no longer reads our results", "启动进程不再读取结果"});
        left.remove_prefix(static_cast<std::size_t>(written));
    }
}

SweepSink sweep_sink(const LineSink& emit) {
    SweepSink sink;
    sink.begin_table = [emit](const Table& table) { emit(part::table(table)); };
    sink.row = [emit](const Table& table, const Row& row) { emit(part::row(table.id, row)); };
    sink.finding = [emit](const Finding& finding) { emit(part::finding(finding)); };
    sink.progress = [emit](const SweepProgress& progress) {
        emit(progress_line(progress.done, progress.total, progress.current, progress.remaining_seconds));
    };
    return sink;
}

std::unique_ptr<Backend> host_backend(Root& root) {
    HostBackendOptions options;
    options.available_memory = [&root] { return probe_machine(root, {"memory"}).memory.available_bytes; };
    return make_host_backend(std::move(options));
}

/// The machine of each host, sent by the first rank on it. The same on all ranks: which host each is on.
std::vector<std::string> send_machines(Group& world, Root& root, const LineSink& emit) {
    std::vector<std::string> hosts = world.all_gather(world.host());
    const auto first = std::find(hosts.begin(), hosts.end(), world.host()) - hosts.begin();
    std::string own;
    if (first == world.rank())
        own = to_json(probe_machine(root));
    const std::vector<std::string> machines = world.gather(own, 0);
    for (std::size_t i = 0; i < machines.size(); ++i)
        if (!machines[i].empty())
            emit(part::machine({hosts[i], read_machine(machines[i], hosts[i])}));
    return hosts;
}

void note_oversubscription(const std::vector<std::string>& hosts, PerfReceiver& receiver) {
    for (const HostMachine& host : receiver.record().machines) {
        const auto ranks = static_cast<int>(std::count(hosts.begin(), hosts.end(), host.host));
        if (const auto note = oversubscription(host.host, ranks, host.machine.cpu.cores.value_or(ranks)))
            receiver.finding(*note);
    }
}

Launch describe_launch(const Session& session, const SweepPlan& plan, Root& root, const Backend& backend,
                       const std::optional<std::string>& library) {
    Launch launch;
    launch.command = session.command_line;
    launch.backend = backend.name();
    launch.mpi_version = library;
    launch.parameters = plan_parameters(plan);
    launch.environment = root.environment();
    return launch;
}

void measure(const Session& session, const SweepPlan& plan, Root& root, Group& world,
             const std::optional<std::string>& library, const LineSink& emit,
             const std::function<void(const TimeOut&)>& say_late) {
    const std::unique_ptr<Backend> backend = host_backend(root);
    Launch launch = describe_launch(session, plan, root, *backend, library);
    launch.ranks = rank_places(world);
    if (world.rank() == 0)
        emit(part::launch(launch));
    const auto expired = [&session, &world, &say_late](const Message& text, int awaited) {
        say(fmt::format("gpuadapt: {}", clean_utf8(text.get(session.style.lang))));
        say_late({world.rank(), awaited, text});
        std::this_thread::sleep_for(2 * kTimeToSayIt);  // the others are heard before the end wakes a stopped one
        world.abort(kExitTool);
    };
    run_sweep(plan, *backend, world, sweep_sink(emit), expired);
    if (world.rank() == 0)
        emit(part::finished(utc_now()));
}

sigset_t stop_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : heeded_stop_signals())
        sigaddset(&signals, signal);
    return signals;
}

/// Blocks or unblocks them in this thread and in those that it will make.
void mask_stop_signals(int how) {
    const sigset_t signals = stop_signals();
    pthread_sigmask(how, &signals, nullptr);
}

/// Saves the record when mpirun ends us with SIGTERM: between that and SIGKILL there is a second.
class SaveOnSignal {
  public:
    explicit SaveOnSignal(PerfReceiver& receiver) : receiver_(receiver), signals_(stop_signals()) {
        waiter_ = std::thread([this] { wait(); });
        waiter_.detach();  // it waits in the kernel until the process ends
    }

  private:
    void wait() {
        int signal = 0;
        if (sigwait(&signals_, &signal) != 0)
            return;
        try {
            receiver_.save_now();
            say(fmt::format("gpuadapt: {}: the points measured so far are in the record", signal_name(signal)));
        } catch (const std::exception& error) {
            say(fmt::format("gpuadapt: {}", clean_utf8(error.what())));
        }
        _exit(kExitTool);
    }

    PerfReceiver& receiver_;
    sigset_t signals_;
    std::thread waiter_;
};

void check_world(const SweepPlan& plan, int size) {
    for (const int count : plan.counts)
        if (count > size)
            throw input_error(
                Message{fmt::format("--gpus {}: the launcher started {} rank{}; start more (-n {}) or ask for fewer",
                                    count, size, size == 1 ? "" : "s", count),
                        fmt::format("--gpus {}：启动器只启动了 {} 个 rank；请增加 rank 数（-n {}）或减少卡数", count,
                                    size, count)});
    validate(plan, size);
    require_points(plan);
}

/// Under our own launcher: results and errors travel as lines, and the exit status is 0, so that mpirun adds nothing.
int serve_launcher(Session& session, const SweepPlan& plan, Root& root, MpiSession& mpi) {
    Group& world = mpi.world();
    const LineSink emit = [&world](const std::string& line) {
        if (world.rank() == 0)
            send_line(STDOUT_FILENO, line);
    };
    // The watchdog may fire on any rank; stderr reaches the launcher from all of them.
    const auto say_late = [](const TimeOut& time_out) { send_line(STDERR_FILENO, time_out_line(time_out)); };
    try {
        check_world(plan, world.size());
        send_machines(world, root, emit);
        measure(session, plan, root, world, mpi.library_version(), emit, say_late);
    } catch (const Error& error) {
        emit(error_line(error));
    }
    return kExitOk;
}

/// Under a foreign mpirun or srun: rank 0 keeps the record and prints.
int serve_alone(Session& session, const PerfOptions& options, SweepPlan plan, Root& root, MpiSession& mpi) {
    Group& world = mpi.world();
    if (plan.counts.empty())
        plan.counts = {world.size()};
    std::optional<PerfReceiver> receiver;
    try {
        world.together([&] {
            check_world(plan, world.size());
            if (world.rank() != 0)
                return;
            say_backend(session, options, probe_machine(root));  // as our own launcher does before it starts ranks
            receiver.emplace(session, start_record(session, nullptr), record_path(options), log_form(options));
        });
    } catch (const Error& error) {
        return world.rank() == 0 ? report_error(session, error) : kExitOk;
    }
    std::optional<SaveOnSignal> saver;
    const LineSink emit = [&](const std::string& line) {
        if (receiver)
            receiver->line(line);
    };
    const LineSink emit_last = [&](const std::string& line) {
        emit(line);
        if (receiver)
            receiver->save_now();
    };
    if (receiver)
        saver.emplace(*receiver);
    else
        mask_stop_signals(SIG_UNBLOCK);
    std::optional<Error> failed;  // on all ranks alike; rank 0 says it
    try {
        const std::vector<std::string> hosts = send_machines(world, root, emit);
        world.together([&] {
            if (receiver)
                note_oversubscription(hosts, *receiver);
        });
        // What the other ranks say does not come here, so who has not come is not known.
        measure(session, plan, root, world, mpi.library_version(), emit, [&emit_last](const TimeOut& time_out) {
            emit_last(part::finding(time_out_finding({{time_out.rank, 0, time_out.text}}, {})));
        });
    } catch (const Error& error) {
        failed = error;
    }
    return receiver ? receiver->finish(failed) : kExitOk;
}

}  // namespace

int run_rank(Session& session, const PerfOptions& options, SweepPlan plan, Root& root) {
    const bool ours = environment_variable(kRankVariable).has_value();
    if (ours)
        end_with_parent();  // no rank outlives its mpirun
    else
        mask_stop_signals(SIG_BLOCK);  // before MPI makes its threads, so that rank 0 can wait for them in one
    const std::unique_ptr<MpiSession> mpi = MpiSession::start(libmpi_candidates(environment_variable, root, getppid()));
    spdlog::debug("{} from {}", mpi->library_version(), mpi->library_path());
    if (const auto alone = lone_rank(environment_variable, mpi->world().size()))
        _exit(report_error(session, *alone));  // not through MPI_Finalize, which may crash then
    return ours ? serve_launcher(session, plan, root, *mpi)
                : serve_alone(session, options, std::move(plan), root, *mpi);
}

int run_alone(Session& session, const PerfOptions& options, const SweepPlan& plan, Root& root, const Machine& machine) {
    const std::unique_ptr<Group> world = make_solo_group();
    PerfReceiver receiver(session, start_record(session, &machine), record_path(options), log_form(options));
    const LineSink emit = [&receiver](const std::string& line) { receiver.line(line); };
    const InterruptGuard guard;
    std::optional<Error> failed;
    try {
        const std::unique_ptr<Backend> backend = host_backend(root);
        Launch launch = describe_launch(session, plan, root, *backend, std::nullopt);
        launch.ranks = rank_places(*world);
        emit(part::launch(launch));
        SweepSink sink = sweep_sink(emit);
        sink.stop = [] { return InterruptGuard::received() != 0; };
        const auto expired = [&](const Message& text, int awaited) {
            emit(part::finding(time_out_finding({{world->rank(), awaited, text}}, {})));
            receiver.save_now();
            world->abort(kExitTool);
        };
        run_sweep(plan, *backend, *world, sink, expired);
        emit(part::finished(utc_now()));
    } catch (const Error& error) {
        failed = error;
    }
    return receiver.finish(failed);
}

}  // namespace gpuadapt::cli

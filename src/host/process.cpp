// SPDX-License-Identifier: Apache-2.0
#include "host/child.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/command.hpp>
#include <gpuadapt/host/process.hpp>

#include <cassert>
#include <system_error>

#include <fmt/format.h>
#include <sys/prctl.h>

namespace gpuadapt {

namespace {

/// Makes lines of pieces. What a line has above the limit is dropped.
class LineSplitter {
  public:
    LineSplitter(std::size_t limit, const std::function<void(std::string_view)>& sink) : limit_(limit), sink_(sink) {}

    void add(std::string_view piece) {
        while (!piece.empty()) {
            const std::size_t end = piece.find('\n');
            keep(piece.substr(0, end));
            if (end == std::string_view::npos)
                return;
            deliver();
            piece.remove_prefix(end + 1);
        }
    }

    void finish() {
        if (started_)
            deliver();
    }

  private:
    void keep(std::string_view text) {
        started_ = started_ || !text.empty();
        if (line_.size() < limit_)
            line_.append(text.substr(0, limit_ - line_.size()));
    }
    void deliver() {
        const std::string line = std::move(line_);
        line_.clear();
        started_ = false;
        if (sink_)
            sink_(line);
    }

    std::size_t limit_;
    const std::function<void(std::string_view)>& sink_;
    std::string line_;
    bool started_ = false;
};

}  // namespace

struct Process::State {
    Child child;
    std::size_t line_limit = 0;
    std::chrono::milliseconds linger{};
    bool waited = false;
};

Process::Process(const std::vector<std::string>& argv, const ProcessOptions& options)
    : state_(std::make_unique<State>()) {
    assert(!argv.empty());
    state_->line_limit = options.line_limit;
    state_->linger = options.linger;
    ChildSpec spec;
    const auto program = find_program(argv[0]);
    if (!program)
        throw tool_error(Message(fmt::format("'{}' is not installed, or not in PATH", argv[0]),
                                 fmt::format("'{}' 未安装，或不在 PATH 中", argv[0])));
    spec.program = *program;
    spec.argv = argv;
    spec.environment = child_environment(options.environment, options.unset);
    spec.death_signal = options.death_signal;
    const auto failure = state_->child.start(spec);
    if (failure.error != 0) {
        const std::string cause = std::generic_category().message(failure.error);
        throw tool_error(Message(fmt::format("'{}' cannot be started: {}", *program, cause),
                                 fmt::format("'{}' 无法启动：{}", *program, cause)));
    }
}

Process::~Process() = default;

pid_t Process::pid() const {
    return state_->child.pid();
}

ExitResult Process::wait(const ProcessEvents& events) {
    assert(!state_->waited);
    state_->waited = true;
    LineSplitter out(state_->line_limit, events.out);
    LineSplitter err(state_->line_limit, events.err);
    ChildEvents raw;
    raw.data = [&](int stream, std::string_view piece) { (stream == 1 ? out : err).add(piece); };
    raw.tick = events.tick;
    const ExitResult result = state_->child.pump(raw, state_->linger);
    out.finish();
    err.finish();
    return result;
}

void Process::signal_group(int signal) {
    state_->child.signal_group(signal);
}

void Process::terminate(std::chrono::milliseconds grace) {
    state_->child.terminate(grace);
}

void end_with_parent(int signal) {
    prctl(PR_SET_PDEATHSIG, signal);
}

}  // namespace gpuadapt

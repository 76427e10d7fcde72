// SPDX-License-Identifier: Apache-2.0
#include "host/exec.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuadapt {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (const std::string& text : texts)
        result.push_back(const_cast<char*>(text.c_str()));  // execve's type; it does not write
    result.push_back(nullptr);
    return result;
}

/// No descriptor of ours but the three reaches the program, whoever opened it without close-on-exec.
void close_others_on_exec() {
    constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3U, ~0U, kCloseOnExec) == 0)
        return;
#endif
    const long most = sysconf(_SC_OPEN_MAX);
    const int end = most > 0 && most < 65536 ? static_cast<int>(most) : 65536;
    for (int fd = 3; fd < end; ++fd) {
        const int flags = fcntl(fd, F_GETFD);
        if (flags >= 0)
            fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
}

/// Ignored signals and the signal mask outlive execve, handlers do not.
void reset_signals() {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal)
        sigaction(signal, &action, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

ExecPlan::ExecPlan(const ChildSpec& spec, const std::array<int, 3>& standard, int status_fd)
    : spec_(spec),
      standard_(standard),
      status_fd_(status_fd),
      argv_(pointers(spec.argv)),
      environment_(pointers(spec.environment)) {}

pid_t ExecPlan::fork_and_exec() const {
    // All signals are blocked around the fork, so that no handler of ours runs in the child.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0)
        run_child(parent);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return pid;
}

void ExecPlan::run_child(pid_t parent) const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, spec_.death_signal);
    if (getppid() != parent)  // the parent ended before prctl() could arm it
        _exit(127);
    reset_signals();
    bool ready = true;
    for (int target = 0; target < 3; ++target) {
        const int source = standard_[static_cast<std::size_t>(target)];
        // dup2() onto itself would keep close-on-exec set.
        ready = ready && (source == target ? fcntl(source, F_SETFD, 0) == 0 : dup2(source, target) == target);
    }
    if (ready) {
        close_others_on_exec();
        execve(spec_.program.c_str(), argv_.data(), environment_.data());
    }
    const int error = errno;
    const ssize_t ignored = write(status_fd_, &error, sizeof error);
    static_cast<void>(ignored);
    _exit(127);
}

}  // namespace gpuadapt

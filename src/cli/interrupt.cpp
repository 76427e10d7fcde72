// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <gpuadapt/cli/main.hpp>

#include <unistd.h>

namespace gpuadapt::cli {
namespace {

// A signal handler can reach nothing but a global; this is the only one of the program.
volatile std::sig_atomic_t g_received = 0;  // NOLINT

extern "C" void note_signal(int signal) {
    if (g_received == 0)
        g_received = signal;
}

/// Only what a signal handler may call.
extern "C" void end_at_once(int signal) {
    for (const std::string_view text :
         {std::string_view("gpuadapt: interrupted by "), signal_name(signal), std::string_view("\n")})
        if (write(STDERR_FILENO, text.data(), text.size()) < 0)
            break;
    _exit(kExitTool);
}

}  // namespace

std::vector<int> heeded_stop_signals() {
    std::vector<int> heeded;
    for (const int signal : kStopSignals) {
        struct sigaction now {};
        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
            heeded.push_back(signal);
    }
    return heeded;
}

void end_on_stop_signals() {
    struct sigaction action {};
    action.sa_handler = end_at_once;
    sigemptyset(&action.sa_mask);
    for (const int signal : heeded_stop_signals())
        sigaction(signal, &action, nullptr);
}

std::string_view signal_name(int signal) {
    switch (signal) {
        case SIGINT:
            return "SIGINT (Ctrl-C)";
        case SIGTERM:
            return "SIGTERM";
        case SIGHUP:
            return "SIGHUP";
        default:
            return "signal";
    }
}

InterruptGuard::InterruptGuard() {
    g_received = 0;
    struct sigaction action {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    for (const int signal : heeded_stop_signals()) {
        struct sigaction before {};
        sigaction(signal, &action, &before);
        previous_.emplace_back(signal, before);
    }
}

InterruptGuard::~InterruptGuard() {
    for (const auto& [signal, before] : previous_)
        sigaction(signal, &before, nullptr);
}

int InterruptGuard::received() {
    return g_received;
}

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

namespace gpuadapt::cli {
namespace {

// A signal handler can reach nothing but a global; this is the only one of the program.
volatile std::sig_atomic_t g_received = 0;  // NOLINT

extern "C" void note_signal(int signal) {
    if (g_received == 0)
        g_received = signal;
}

}  // namespace

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
    for (std::size_t i = 0; i < kStopSignals.size(); ++i)
        sigaction(kStopSignals[i], &action, &previous_[i]);
}

InterruptGuard::~InterruptGuard() {
    for (std::size_t i = 0; i < kStopSignals.size(); ++i)
        sigaction(kStopSignals[i], &previous_[i], nullptr);
}

int InterruptGuard::received() {
    return g_received;
}

}  // namespace gpuadapt::cli

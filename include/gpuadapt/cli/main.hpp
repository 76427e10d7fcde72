// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gpuadapt {

/// Exit statuses of every command.
enum ExitStatus : int {
    kExitOk = 0,       ///< ok, notes, warnings, unknowns that block nothing
    kExitFailure = 1,  ///< any failure; with --strict also a warning. Beats 3
    kExitUsage = 2,    ///< wrong usage or input
    kExitUnknown = 3,  ///< a blocking check could not be evaluated
    kExitTool = 4,     ///< the tool failed, ran out of time or was interrupted
};

/// The whole program: parses, runs one command, prints errors, gives the exit status.
int run_cli(int argc, const char* const* argv);

}  // namespace gpuadapt

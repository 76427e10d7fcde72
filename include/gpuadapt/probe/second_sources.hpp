// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/root.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// Another witness of what the probes read themselves: a tool of the machine, or hwloc. `probe` does not ask them;
/// `record` keeps their words, and `--cross-check` compares.
struct SecondSource {
    std::string_view command;  ///< words separated by blanks; "{interface}" stands for each physical network interface
    Text about;
};

[[nodiscard]] std::span<const SecondSource> second_sources();

/// Asks all of them through `root`, so that a recorder keeps the answers. A tool that is not there costs nothing; one
/// that hangs costs its time limit.
void run_second_sources(Root& root);

/// What the second sources say otherwise than `machine`, which was read from `root`: a warning for each fact, with both
/// values and who gave them. Last comes one finding that says which sources were compared, how many facts agree, and
/// which could not be asked: a note, or an unknown where there was none to compare with.
[[nodiscard]] std::vector<Finding> cross_check(Root& root, const Machine& machine);

}  // namespace gpuadapt

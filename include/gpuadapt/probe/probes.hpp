// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/root.hpp>

#include <span>
#include <string_view>

namespace gpuadapt {

/// One part of what can be found out. Probes run in the order of the table; a later one may read what an earlier one
/// has filled in (`needs`).
struct Probe {
    std::string_view id;
    Text title;
    std::string_view needs;  ///< id of one other probe that must run before; empty for most
    void (*run)(Root& root, Machine& machine);
};

[[nodiscard]] std::span<const Probe> probes();

/// How many of the probes left facts in this Machine. One that left none is unknown when its sources could not be read,
/// or when texts were read, which hold what somebody chose to send; else the machine has nothing of that kind.
[[nodiscard]] Coverage coverage_of(const Machine& machine);

}  // namespace gpuadapt

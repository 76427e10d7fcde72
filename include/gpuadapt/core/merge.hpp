// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/differences.hpp>
#include <gpuadapt/core/machine.hpp>

#include <string>
#include <vector>

namespace gpuadapt {

/// Fills what `into` does not know with what `from` knows. Entries of a list belong together as in differences(); what
/// only `from` has is added at the end. A fact that both know stays as `into` has it, and is returned where `from` has
/// it differently. Lists whose entries cannot be told apart are taken as wholes. `unread` is added, `sources` is
/// filled.
std::vector<Difference> merge(Machine& into, const Machine& from);

/// Members of Machine, as the JSON names them, in which something is known: "pci_devices", "dimms" ...
[[nodiscard]] std::vector<std::string> known_parts(const Machine& machine);

}  // namespace gpuadapt

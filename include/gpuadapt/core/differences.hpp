// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gpuadapt {

/// A fact that two descriptions of a machine give differently.
struct Difference {
    std::string path;           ///< as in the JSON of a record: "/pci_devices/0000:3a:00.0/link/current_width"
    std::string first, second;  ///< as people write them: PCI ids and registers in hexadecimal
    bool operator==(const Difference&) const = default;
};

/// Facts that both know and give differently, in the order of the JSON. What one of them does not know (an absent
/// value, an empty list) is no difference. Entries of a list belong together by their address, name, id, index, number,
/// locator or path, and a GPU without an address is the one with its UUID, else its index; an entry that only one has
/// is a difference when both have such a list at all, with "" for the other. `unread` and `sources` are about the
/// reading, not the machine, and are left out.
[[nodiscard]] std::vector<Difference> differences(const Machine& first, const Machine& second);

/// The same, and how many facts both know and give alike.
struct MachineComparison {
    std::vector<Difference> differences;
    std::size_t agreed = 0;
};
[[nodiscard]] MachineComparison compare_machines(const Machine& first, const Machine& second);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt {

/// What /proc/cpuinfo says, in the forms of x86, Arm, PowerPC, SPARC and LoongArch.
struct CpuInfo {
    std::optional<std::string> architecture;  ///< where the text shows it
    std::optional<std::string> vendor;        ///< "GenuineIntel"; on Arm the name of the implementer
    std::optional<std::string> model;         ///< as the kernel names it
    std::optional<std::string> part;          ///< on Arm: name of implementer and part, several joined by '/'
    std::optional<std::string> microcode;
    std::optional<int> family, model_number;  ///< x86
    bool hypervisor = false;                  ///< x86: the flag that only guests see
};

[[nodiscard]] CpuInfo parse_cpuinfo(std::string_view text);

/// Names of Arm's main ID register fields: 0x41 "ARM"; 0x48, 0xd01 "Kunpeng-920".
[[nodiscard]] std::optional<std::string_view> arm_implementer_name(int implementer);
[[nodiscard]] std::optional<std::string_view> arm_part_name(int implementer, int part);

}  // namespace gpuadapt

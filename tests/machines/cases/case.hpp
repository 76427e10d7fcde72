// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/memory_root.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// What shows that a check works: a recorded machine on which it has nothing to say, and a change to it that it must
/// see. That it says unknown without its sources needs no case: the test takes the sources from the check itself.
namespace gpuadapt::test {

using Change = std::function<void(Answers&)>;

struct CheckCase {
    std::string_view check;
    std::string_view machine;  ///< folder of a recorded machine: judged there, and nothing wrong
    Change change;
    std::string_view subject;   ///< part of what the finding after it is about; empty: the machine as a whole
    std::string_view evidence;  ///< part of what it says: the file, register or value
};

// One file an area.
[[nodiscard]] std::vector<CheckCase> acs_cases();
[[nodiscard]] std::vector<CheckCase> iommu_cases();
[[nodiscard]] std::vector<CheckCase> pcie_cases();
[[nodiscard]] std::vector<CheckCase> gpu_cases();
[[nodiscard]] std::vector<CheckCase> metax_cases();
[[nodiscard]] std::vector<CheckCase> gdr_cases();
[[nodiscard]] std::vector<CheckCase> rdma_cases();
[[nodiscard]] std::vector<CheckCase> cpu_cases();
[[nodiscard]] std::vector<CheckCase> memory_cases();
[[nodiscard]] std::vector<CheckCase> platform_cases();
[[nodiscard]] std::vector<CheckCase> os_cases();

/// The file has this text instead (with a line end), whether it was there or not.
[[nodiscard]] Change file(std::string path, std::string text);
[[nodiscard]] Change no_file(std::string path);
/// In each file whose path matches (check::matches), what stands there is exchanged. The test fails where nothing is.
[[nodiscard]] Change replaced(std::string pattern, std::string from, std::string to);
/// The same in the answers of tools and libraries whose words contain `word`: "nvml", "mxsml", "mx-smi".
[[nodiscard]] Change answer_replaced(std::string word, std::string from, std::string to);
/// 16 bits of the capability `id` of a PCI function: `extended` ones are looked for from 0x100 on.
[[nodiscard]] Change capability_word(std::string address, int id, int offset, std::uint16_t value);
[[nodiscard]] Change extended_word(std::string address, int id, int offset, std::uint16_t value);
/// Byte `offset` of its configuration space.
[[nodiscard]] Change config_bytes(std::string address, std::size_t offset, std::string bytes);
[[nodiscard]] Change link(std::string path, std::string target);
[[nodiscard]] Change both(Change first, Change second);

}  // namespace gpuadapt::test

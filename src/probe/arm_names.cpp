// SPDX-License-Identifier: Apache-2.0
#include "probe/cpuinfo.hpp"

#include <algorithm>
#include <array>

/// MIDR_EL1: implementer and part number. Sources: the technical reference manuals of the cores, and
/// arch/arm64/include/asm/cputype.h of Linux.
namespace gpuadapt {

namespace {

struct Implementer {
    int id;
    std::string_view name;
};

struct Part {
    int implementer, id;
    std::string_view name;
};

constexpr std::array<Implementer, 16> kImplementers = {{
    {0x41, "ARM"},
    {0x42, "Broadcom"},
    {0x43, "Cavium"},
    {0x46, "Fujitsu"},
    {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"},
    {0x50, "APM"},
    {0x51, "Qualcomm"},
    {0x53, "Samsung"},
    {0x56, "Marvell"},
    {0x61, "Apple"},
    {0x66, "Faraday"},
    {0x69, "Intel"},
    {0x6d, "Microsoft"},
    {0x70, "Phytium"},
    {0xc0, "Ampere"},
}};

/// Cores that servers and development boards with PCIe have. The rest shows as number.
constexpr Part kParts[] = {
    {0x41, 0xc07, "Cortex-A7"},        {0x41, 0xc09, "Cortex-A9"},    {0x41, 0xc0f, "Cortex-A15"},
    {0x41, 0xd03, "Cortex-A53"},       {0x41, 0xd04, "Cortex-A35"},   {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},       {0x41, 0xd08, "Cortex-A72"},   {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},       {0x41, 0xd0b, "Cortex-A76"},   {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},       {0x41, 0xd40, "Neoverse-V1"},  {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd42, "Cortex-A78AE"},     {0x41, 0xd44, "Cortex-X1"},    {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},      {0x41, 0xd48, "Cortex-X2"},    {0x41, 0xd49, "Neoverse-N2"},
    {0x41, 0xd4a, "Neoverse-E1"},      {0x41, 0xd4b, "Cortex-A78C"},  {0x41, 0xd4d, "Cortex-A715"},
    {0x41, 0xd4e, "Cortex-X3"},        {0x41, 0xd4f, "Neoverse-V2"},  {0x41, 0xd80, "Cortex-A520"},
    {0x41, 0xd81, "Cortex-A720"},      {0x41, 0xd82, "Cortex-X4"},    {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd8e, "Neoverse-N3"},      {0x42, 0x516, "Vulcan"},       {0x43, 0x0a1, "ThunderX"},
    {0x43, 0x0af, "ThunderX2"},        {0x43, 0x0b8, "ThunderX3"},    {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "Kunpeng-920"},      {0x48, 0xd02, "TaiShan-v120"}, {0x4e, 0x003, "Denver 2"},
    {0x4e, 0x004, "Carmel"},           {0x50, 0x000, "X-Gene"},       {0x51, 0xc00, "Falkor"},
    {0x6d, 0xd49, "Azure Cobalt 100"}, {0x70, 0x303, "FTC310"},       {0x70, 0x660, "FTC660"},
    {0x70, 0x661, "FTC661"},           {0x70, 0x662, "FTC662"},       {0x70, 0x663, "FTC663"},
    {0x70, 0x664, "FTC664"},           {0x70, 0x862, "FTC862"},       {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},        {0xc0, 0xac5, "Ampere-1B"},
};

}  // namespace

std::optional<std::string_view> arm_implementer_name(int implementer) {
    const auto* const found = std::find_if(kImplementers.begin(), kImplementers.end(),
                                           [&](const Implementer& entry) { return entry.id == implementer; });
    return found == kImplementers.end() ? std::nullopt : std::optional(found->name);
}

std::optional<std::string_view> arm_part_name(int implementer, int part) {
    const auto* const found = std::find_if(std::begin(kParts), std::end(kParts), [&](const Part& entry) {
        return entry.implementer == implementer && entry.id == part;
    });
    return found == std::end(kParts) ? std::nullopt : std::optional(found->name);
}

}  // namespace gpuadapt

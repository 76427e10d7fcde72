// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// What we take from the SMBIOS structure table (DSP0134, /sys/firmware/dmi/tables/DMI).
struct Smbios {
    Dmi dmi;                               ///< types 0, 1, 2, 3; the first of each
    Bmc bmc;                               ///< type 38: interface and IPMI version
    std::vector<BoardSlot> board_slots;    ///< type 9
    std::vector<Dimm> dimms;               ///< type 17, populated
    int dimm_slots = 0;                    ///< type 17, all
    std::vector<std::string> cpu_models;   ///< type 4 version, populated sockets
    int cpu_sockets = 0;                   ///< type 4, populated
    bool complete = false;                 ///< its end mark was seen: what is not here does not exist
    std::optional<std::size_t> damage_at;  ///< offset where the table stops making sense; what is before it is here
};

[[nodiscard]] Smbios decode_smbios(std::string_view table);

/// Name of a chassis type (7.4.1): "Rack Mount Chassis"; nullopt for a number that is not defined.
[[nodiscard]] std::optional<std::string> chassis_name(int type);

}  // namespace gpuadapt

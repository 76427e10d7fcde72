// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::ingest {

/// The output of dmidecode (any version; with -t, with -q, cut, several in one text) as facts. Strings are what the
/// firmware says, as in the binary table, also where that is "To be filled by O.E.M."; the words that dmidecode itself
/// prints where there is nothing ("Not Specified", "<BAD INDEX>", "--" of cleaned reports) are nullopt.
struct Dmidecode {
    Dmi dmi;
    Bmc bmc;  ///< interface and IPMI version only
    std::vector<BoardSlot> board_slots;
    std::vector<Dimm> dimms;        ///< populated slots
    std::optional<int> dimm_slots;  ///< nullopt where the text is cut, or has no type 17
    std::optional<std::string> cpu_model;
    std::optional<int> cpu_sockets;           ///< populated; nullopt where the text is cut, or has no type 4
    std::optional<int> cpu_cores_per_socket;  ///< nullopt where the firmware counts more than it says are enabled
    std::optional<std::string> cores_unread;  ///< its two numbers then
    bool denied = false;                      ///< it says that it may not read the table: not run as root
    bool cut = false;                         ///< the end of the table is missing
};

/// nullopt for a text without any output of dmidecode. `text` should come from plain_text(). Takes any bytes and never
/// throws on them.
[[nodiscard]] std::optional<Dmidecode> read_dmidecode(std::string_view text);

}  // namespace gpuadapt::ingest

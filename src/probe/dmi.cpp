// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/smbios.hpp"

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr const char* kTable = "/sys/firmware/dmi/tables/DMI";

struct DmiFile {
    const char* name;  ///< in /sys/class/dmi/id
    std::optional<std::string> Dmi::*field;
};

constexpr DmiFile kDmiFiles[] = {
    {"sys_vendor", &Dmi::system_vendor},
    {"product_name", &Dmi::product_name},
    {"product_version", &Dmi::product_version},
    {"product_serial", &Dmi::serial},
    {"product_uuid", &Dmi::uuid},
    {"product_sku", &Dmi::sku},
    {"board_vendor", &Dmi::board_vendor},
    {"board_name", &Dmi::board_name},
    {"board_version", &Dmi::board_version},
    {"board_serial", &Dmi::board_serial},
    {"bios_vendor", &Dmi::bios_vendor},
    {"bios_version", &Dmi::bios_version},
    {"bios_date", &Dmi::bios_date},
};

/// Linux's IPMI driver: the platform device ipmi_bmc.0.
void take_bmc(Root& root, Bmc& bmc) {
    const std::string folder = "/sys/devices/platform/";
    for (const std::string& name : root.list(folder).value_or(std::vector<std::string>{}))
        if (name.starts_with("ipmi_bmc")) {
            bmc.firmware = root.read_line(folder + name + "/firmware_revision");
            bmc.ipmi_version = root.read_line(folder + name + "/ipmi_version");
            return;
        }
}

}  // namespace

void probe_dmi(Root& root, Machine& machine) {
    const std::string folder = "/sys/class/dmi/id/";
    for (const DmiFile& file : kDmiFiles)
        machine.dmi.*file.field = root.read_line(folder + file.name);
    if (const auto type = read_int(root, folder + "chassis_type"))
        machine.dmi.chassis_type = chassis_name(*type);

    take_bmc(root, machine.bmc);

    // Only root may read the table itself; it alone has the slots and the memory modules.
    const auto table = root.read(kTable);
    if (!table)
        return;
    Smbios decoded = decode_smbios(*table);
    if (decoded.damage_at)
        root.note_unread(kTable, fmt::format("damaged at byte {}", *decoded.damage_at));
    for (const DmiFile& file : kDmiFiles)
        if (!(machine.dmi.*file.field))
            machine.dmi.*file.field = decoded.dmi.*file.field;
    if (!machine.dmi.chassis_type)
        machine.dmi.chassis_type = decoded.dmi.chassis_type;
    machine.board_slots = std::move(decoded.board_slots);
    machine.dimms = std::move(decoded.dimms);
    if (decoded.complete && decoded.dimm_slots > 0)  // else there may be more
        machine.dimm_slots = decoded.dimm_slots;
    if (!machine.bmc.ipmi_version)
        machine.bmc.ipmi_version = decoded.bmc.ipmi_version;
    machine.bmc.interface = decoded.bmc.interface;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/dmidecode.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMostStructures = 8192;

/// What dmidecode prints where the table has no value. Anything else in a string is the firmware's own.
constexpr std::array<std::string_view, 8> kNothing = {
    "Not Specified", "<BAD INDEX>", "Not Present", "Not Settable", "<OUT OF SPEC>", "--", "", "[Empty]",
};

/// The same for numbers and names of a list, which the firmware cannot word itself.
constexpr std::array<std::string_view, 3> kUnknown = {"Unknown", "Other", "Undefined"};

bool is_one_of(const auto& words, std::string_view text) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

/// One structure: "Key: Value" lines. Of keys that come again (in lists) the first counts.
struct Structure {
    int type = -1;
    std::string_view handle;  ///< "0x0011"; empty with -q
    std::map<std::string_view, std::string_view> values;

    [[nodiscard]] std::string_view raw(std::string_view key) const {
        const auto found = values.find(key);
        return found == values.end() ? std::string_view() : found->second;
    }
    /// A string of the table.
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const {
        const std::string_view value = raw(key);
        return is_one_of(kNothing, value) ? std::nullopt : std::optional(clean_utf8(value));
    }
    /// A name of a list of the specification.
    [[nodiscard]] std::optional<std::string> name(std::string_view key) const {
        return is_one_of(kUnknown, raw(key)) ? std::nullopt : text(key);
    }
    [[nodiscard]] std::optional<int> number(std::string_view key) const { return scan_int(raw(key)); }
};

struct Title {
    std::string_view text;
    int type;
};

/// Where the line with handle and type is missing (-q), the title tells.
constexpr Title kTitles[] = {
    {"BIOS Information", 0},
    {"System Information", 1},
    {"Base Board Information", 2},
    {"Chassis Information", 3},
    {"Processor Information", 4},
    {"System Slot Information", 9},
    {"Physical Memory Array", 16},
    {"Memory Device", 17},
    {"IPMI Device Information", 38},
    {"Cache Information", 7},
    {"On Board Device Information", 10},
    {"OEM Strings", 11},
    {"Memory Array Mapped Address", 19},
    {"Memory Device Mapped Address", 20},
    {"End Of Table", 127},
    {"Port Connector Information", 8},
    {"System Boot Information", 32},
};

struct DmiField {
    int type;
    std::string_view key;
    std::optional<std::string> Dmi::*field;
};

constexpr DmiField kDmiFields[] = {
    {0, "Vendor", &Dmi::bios_vendor},        {0, "Version", &Dmi::bios_version},
    {0, "Release Date", &Dmi::bios_date},    {1, "Manufacturer", &Dmi::system_vendor},
    {1, "Product Name", &Dmi::product_name}, {1, "Version", &Dmi::product_version},
    {1, "Serial Number", &Dmi::serial},      {1, "SKU Number", &Dmi::sku},
    {2, "Manufacturer", &Dmi::board_vendor}, {2, "Product Name", &Dmi::board_name},
    {2, "Version", &Dmi::board_version},     {2, "Serial Number", &Dmi::board_serial},
    {3, "Type", &Dmi::chassis_type},
};

/// "4C4C4544-0053-..." in small letters; nullopt for anything else, and for one of zeros or ones only.
std::optional<std::string> uuid_of(std::string_view text) {
    std::string uuid(text);
    std::transform(uuid.begin(), uuid.end(), uuid.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (uuid.size() != 36 || uuid.find_first_not_of("0123456789abcdef-") != kNone ||
        uuid.find_first_not_of("0-") == kNone || uuid.find_first_not_of("f-") == kNone)
        return std::nullopt;
    return uuid;
}

/// "2933 MT/s", of old versions "2933 MHz", which means the same.
std::optional<int> speed_of(std::string_view text) {
    const auto speed = scan_int(text);
    return speed && *speed > 0 ? speed : std::nullopt;
}

/// "x16 PCI Express 5 x16", "32-bit PCI", "PCI Express 4": the width of the data bus comes first.
void take_slot_type(std::string_view text, BoardSlot& slot) {
    const std::size_t blank = text.find(' ');
    const std::string_view first = text.substr(0, blank);
    const bool lanes = first.size() >= 2 && first[0] == 'x' && scan_int(first.substr(1)).has_value();
    if (lanes)
        slot.width = scan_int(first.substr(1));
    if ((lanes || first.ends_with("-bit")) && blank != kNone)
        text = text.substr(blank + 1);
    if (!is_one_of(kUnknown, text) && !is_one_of(kNothing, text))
        slot.type = clean_utf8(text);
}

/// "0000:81:00.0"; nullopt where a part has all bits set, which stands for no address, and for 0000:00:00.0, which is
/// the root complex and no slot.
std::optional<std::string> slot_address(std::string_view text) {
    const bool form = text.size() == 12 && text[4] == ':' && text[7] == ':' && text[10] == '.' &&
                      text.find_first_not_of("0123456789abcdef:.") == kNone;
    if (!form || text.substr(0, 4) == "ffff" || text.substr(5, 2) == "ff" || text.substr(8) == "1f.7" ||
        text == "0000:00:00.0")
        return std::nullopt;
    return std::string(text);
}

std::optional<std::string> usage_of(std::string_view text) {
    if (is_one_of(kNothing, text))
        return std::nullopt;
    std::string usage(text);
    std::transform(usage.begin(), usage.end(), usage.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return clean_utf8(usage);
}

class Reader {
  public:
    std::optional<Dmidecode> read(std::string_view text) {
        for (const std::string_view line : text_lines(text)) {
            if (count_ > kMostStructures)
                break;
            take_line(line);
        }
        finish();
        const bool anything = seen_any_ || result_.denied || banner_;
        if (!anything)
            return std::nullopt;
        // A whole table says that it is one; -t prints no such line, and no end.
        result_.cut = whole_ && !end_;
        if (result_.cpu_cores_per_socket)
            result_.cores_unread.reset();  // another socket tells
        if (!result_.cut && slots_ > 0)
            result_.dimm_slots = slots_;
        if (!result_.cut && sockets_ > 0)
            result_.cpu_sockets = sockets_;
        return std::move(result_);
    }

  private:
    void take_line(std::string_view line) {
        const std::string_view text = trim(line);
        if (text.starts_with("Handle 0x") && text.find("DMI type ") != kNone) {
            begin(scan_int(behind(text, "DMI type ")).value_or(-1), text.substr(7, text.find(',') - 7));
            return;
        }
        if (const Title* title = title_of(text)) {
            if (current_.type != title->type || !current_.values.empty())
                begin(title->type, "");
            titled_ = true;
            end_ = end_ || title->type == 127;
            return;
        }
        take_banner(text);
        const std::size_t colon = text.find(':');
        if (current_.type < 0 || colon == kNone || colon > 64)
            return;
        current_.values.emplace(text.substr(0, colon), trim(text.substr(colon + 1)));
    }

    void take_banner(std::string_view text) {
        if (text.starts_with("# dmidecode "))
            banner_ = true;
        // "/dev/mem: Permission denied", ".../smbios_entry_point: Permission denied"
        if (text.ends_with("Permission denied") &&
            (text.find("/dev/mem") != kNone || text.find("smbios_entry_point") != kNone ||
             text.find("/tables/DMI") != kNone))
            result_.denied = true;
        if (text.ends_with(" bytes.") && text.find(" structures occupying ") != kNone)
            whole_ = true;
        if (text.starts_with("Table at 0x"))
            whole_ = true;
    }

    static const Title* title_of(std::string_view text) {
        const auto* const found =
            std::find_if(std::begin(kTitles), std::end(kTitles), [&](const Title& row) { return row.text == text; });
        return found == std::end(kTitles) ? nullptr : found;
    }

    void begin(int type, std::string_view handle) {
        finish();
        current_ = {type, handle, {}};
        titled_ = false;
    }

    /// A handle stands for one structure: a second output of the same machine in the same text says nothing new.
    void finish() {
        ++count_;
        // In prose a line may look like a title; what has no known key after it is none.
        const bool real = current_.type >= 0 && !current_.values.empty() && (!current_.handle.empty() || titled_);
        if (real && (current_.handle.empty() ? contents_.insert({current_.type, current_.values}).second
                                             : handles_.insert(current_.handle).second))
            take_structure(current_);
        current_ = {};
    }

    void take_structure(const Structure& item) {
        if (item.type <= 3 && !firsts_.insert(item.type).second)
            return;  // more boards and chassis: of blades, risers; the first is the system's
        for (const DmiField& row : kDmiFields)
            if (row.type == item.type && item.values.contains(row.key)) {
                result_.dmi.*row.field = item.text(row.key);
                seen_any_ = true;
            }
        switch (item.type) {
            case 1:
                result_.dmi.uuid = uuid_of(item.raw("UUID"));
                break;
            case 4:
                take_cpu(item);
                break;
            case 9:
                take_slot(item);
                break;
            case 16:
                if (!item.handle.empty())
                    arrays_.emplace(item.handle, static_cast<int>(arrays_.size()));
                break;
            case 17:
                take_dimm(item);
                break;
            case 38:
                take_bmc(item);
                break;
            default:
                break;
        }
    }

    void take_cpu(const Structure& item) {
        const std::string_view status = item.raw("Status");  // "Populated, Disabled By BIOS" of virtual machines
        if (!status.starts_with("Populated") || status.find("Disabled") != kNone ||
            item.raw("Type") != "Central Processor")
            return;
        seen_any_ = true;
        ++sockets_;
        // A virtual machine of QEMU has its own name there ("pc-q35-7.2"), not that of a processor.
        const bool names_processor = item.raw("Manufacturer") != "QEMU";
        if (const auto model = item.text("Version"); model && names_processor && !result_.cpu_model)
            result_.cpu_model = one_blank(*model);
        // Some firmware counts wrong; where its two numbers differ, neither can be trusted.
        const auto cores = item.number("Core Count");
        const auto enabled = item.values.contains("Core Enabled") ? item.number("Core Enabled") : cores;
        if (result_.cpu_cores_per_socket)
            return;
        if (cores == enabled)
            result_.cpu_cores_per_socket = cores;
        else if (!result_.cores_unread)
            result_.cores_unread =
                fmt::format("dmidecode says Core Count {} and Core Enabled {}: cores a socket are not known",
                            clean_utf8(item.raw("Core Count")), clean_utf8(item.raw("Core Enabled")));
    }

    void take_slot(const Structure& item) {
        if (!item.values.contains("Designation") && !item.values.contains("Current Usage"))
            return;
        seen_any_ = true;
        BoardSlot slot;
        slot.designation = item.text("Designation");
        take_slot_type(item.raw("Type"), slot);
        slot.usage = usage_of(item.raw("Current Usage"));
        slot.pci_address = slot_address(item.raw("Bus Address"));
        result_.board_slots.push_back(std::move(slot));
    }

    void take_dimm(const Structure& item) {
        const std::string_view size = item.raw("Size");
        if (size.empty())
            return;  // cut off before it
        seen_any_ = true;
        ++slots_;
        if (size == "No Module Installed" || size == "Not Installed")
            return;
        Dimm dimm;
        dimm.size_bytes = scan_bytes(size);
        if (dimm.size_bytes == 0)
            dimm.size_bytes.reset();
        dimm.locator = item.text("Locator");
        dimm.bank = item.text("Bank Locator");
        dimm.type = item.name("Type");
        dimm.manufacturer = item.text("Manufacturer");
        dimm.part_number = item.text("Part Number");
        dimm.serial = item.text("Serial Number");
        dimm.ranks = item.number("Rank");
        dimm.speed_mt_s = speed_of(item.raw("Speed"));
        dimm.configured_speed_mt_s = speed_of(item.raw("Configured Memory Speed"));
        if (!dimm.configured_speed_mt_s)  // its name before version 3.2
            dimm.configured_speed_mt_s = speed_of(item.raw("Configured Clock Speed"));
        if (const auto array = arrays_.find(item.raw("Array Handle")); array != arrays_.end())
            dimm.array = array->second;
        result_.dimms.push_back(std::move(dimm));
    }

    void take_bmc(const Structure& item) {
        const std::string_view type = item.raw("Interface Type");
        const std::string_view word = type.substr(0, type.find(' '));
        if (!is_one_of(kUnknown, word) && !is_one_of(kNothing, word))
            result_.bmc.interface = clean_utf8(word);
        result_.bmc.ipmi_version = item.text("Specification Version");
        seen_any_ = true;
    }

    Dmidecode result_;
    Structure current_;
    std::set<std::string_view> handles_;
    std::set<std::pair<int, std::map<std::string_view, std::string_view>>> contents_;  ///< of those without a handle
    std::set<int> firsts_;
    std::map<std::string_view, int> arrays_;  ///< handles of type 16, in their order
    std::size_t count_ = 0;
    int slots_ = 0, sockets_ = 0;
    bool titled_ = false, banner_ = false, whole_ = false, end_ = false, seen_any_ = false;
};

}  // namespace

std::optional<Dmidecode> read_dmidecode(std::string_view text) {
    return Reader().read(text);
}

}  // namespace gpuadapt::ingest

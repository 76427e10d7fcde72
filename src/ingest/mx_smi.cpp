// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_facts.hpp"
#include "ingest/smi_table.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/mx_smi.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace gpuadapt::ingest {

namespace {

/// Rows of the "--show-..." blocks first, then those of the JSON.
constexpr SmiFact kFacts[] = {
    {"device_id", take_count<&Gpu::index>},
    {"serial_number/board_serial", take_text<&Gpu::serial>},
    {"hardware_info/board_serial_number", take_text<&Gpu::serial>},
    {"hardware_info/board_part_number", take_text<&Gpu::part_number>},
    {"version/bios", take_text<&Gpu::vbios>},
    {"vbios_version", take_text<&Gpu::vbios>},
    {"memory/vram_total", take_bytes<&Gpu::memory_bytes>},
    {"hardware_info/memory_capacity", take_bytes<&Gpu::memory_bytes>},
    {"memory/vram_used", take_bytes<&Gpu::memory_used_bytes>},
    {"ecc_state/state", take_switch<&Gpu::ecc>},
    {"clock/xcore", take_count<&Gpu::core_mhz>},
    {"clocks/xcore/xcore_clk", take_count<&Gpu::core_mhz>},
    {"clocks/xcore", take_count<&Gpu::core_mhz>},
    {"clock/mc", take_count<&Gpu::memory_mhz>},
    {"clocks/mc0/mc0_dficlk", take_count<&Gpu::memory_mhz>},
    {"clocks/mc", take_count<&Gpu::memory_mhz>},
    {"hotspot", take_number<&Gpu::temperature_c>},
    {"board_power/total", take_number<&Gpu::power_w>},
    {"board_power/limit", take_number<&Gpu::power_limit_w>},
};

struct LinkFact {
    std::string_view path;
    std::optional<double> PciLink::*rate;
    std::optional<int> PciLink::*width;
};
constexpr LinkFact kLinkFacts[] = {
    {"pcie_info/current_speed", &PciLink::current_gt_s, nullptr},
    {"pcie_info/current_width", nullptr, &PciLink::current_width},
    {"pcie_info/max_speed", &PciLink::capable_gt_s, nullptr},
    {"pcie_info/max_width", nullptr, &PciLink::capable_width},
};

/// "over_power" of "Over Power"; two have other names in the library.
std::vector<std::string> throttle_reasons(const std::vector<SmiValue>& values) {
    std::vector<std::string> reasons = active_below(values, "xcore_clocks_throttle_reason");
    for (std::string& reason : reasons) {
        if (reason == "idle")
            reason = "gpu_idle";
        else if (reason == "applications_limit")
            reason = "applications_clocks_setting";
    }
    return reasons;
}

/// The sum of the inputs that feed the board, where no total is printed.
std::optional<double> input_power(const std::vector<SmiValue>& values) {
    std::optional<double> sum;
    for (const SmiValue& value : values)
        if (value.path.starts_with("board_power/power/way"))
            if (const auto watts = number_in(value.value))
                sum = sum.value_or(0) + *watts;
    return sum ? std::optional(std::round(*sum * 1000) / 1000) : std::nullopt;  // printed in milliwatts
}

/// The number of the sensor behind "hotspot" changes.
std::optional<double> hotspot(const std::vector<SmiValue>& values) {
    for (const SmiValue& value : values)
        if (value.path.starts_with("chip_temperature/hotspot"))
            return number_in(value.value);
    return std::nullopt;
}

void take_values(const std::vector<SmiValue>& values, Gpu& gpu) {
    take_facts(values, kFacts, gpu);
    if (!gpu.temperature_c)
        gpu.temperature_c = hotspot(values);
    if (!gpu.power_w)
        gpu.power_w = input_power(values);
    const auto sum = [&](std::string_view kind) -> std::optional<std::int64_t> {
        const auto sram = sum_below(values, "ecc_errors", "sram_" + std::string(kind));
        const auto dram = sum_below(values, "ecc_errors", "dram_" + std::string(kind));
        return sram || dram ? std::optional(sram.value_or(0) + dram.value_or(0)) : std::nullopt;
    };
    if (!gpu.ecc_corrected)
        gpu.ecc_corrected = sum("correctable");
    if (!gpu.ecc_uncorrected)
        gpu.ecc_uncorrected = sum("uncorrectable");
    if (gpu.throttle_reasons.empty())
        gpu.throttle_reasons = throttle_reasons(values);
    if (const auto slices = value_at(values, "sgpu_count"); slices && number_in(*slices).value_or(0) > 0)
        gpu.partitioned = true;
}

PciLink link_of(const std::vector<SmiValue>& values) {
    PciLink link;
    for (const LinkFact& fact : kLinkFacts) {
        const auto value = value_at(values, fact.path);
        if (!value)
            continue;
        const std::string_view digits = value->starts_with("x") ? std::string_view(*value).substr(1) : *value;
        const auto number = number_in(digits);
        if (!number || *number <= 0 || *number > 1024)
            continue;
        if (fact.rate != nullptr)
            link.*fact.rate = *number;
        else
            link.*fact.width = static_cast<int>(*number);
    }
    return link;
}

/// Collects one machine out of all that the text holds.
class Reading {
  public:
    void read(std::string_view text) {
        read_tree(read_smi_blocks(text));
        if (text.find("\"smi_version\"") != std::string_view::npos)
            read_tree(read_smi_json(text));
        read_slices(text);
        for (const Gpu& row : read_smi_table(text, "metax"))
            add_row(row);
        const bool framed = text.find("MX-SMI ") != std::string_view::npos;
        take_version("MACA", framed ? header_value(text, "MACA Version:") : std::nullopt);
        take_version("driver", framed ? header_value(text, "Kernel Mode Driver Version:") : std::nullopt);
        // The head of the table has one version for all of them.
        const auto vbios = framed ? header_value(text, "BIOS Version:") : std::nullopt;
        auto processes = read_smi_processes(text);
        for (auto& [address, gpu] : gpus_) {
            take_processes(processes, gpu);
            if (!gpu.vbios)
                gpu.vbios = vbios;
        }
    }

    Machine facts() && {
        for (auto& [address, gpu] : gpus_)
            facts_.gpus.push_back(std::move(gpu));
        for (auto& [address, link] : links_)
            if (link != PciLink{}) {
                PciDevice device;
                device.address = address;
                device.link = link;
                facts_.pci_devices.push_back(std::move(device));
            }
        return std::move(facts_);
    }

  private:
    Gpu& at(const std::string& address) {
        Gpu& gpu = gpus_[address];
        gpu.address = address;
        gpu.vendor = "metax";
        return gpu;
    }

    void take_version(const std::string& name, const std::optional<std::string>& version) {
        if (version)
            facts_.versions.try_emplace(name, SoftwareVersion{*version, std::nullopt});
    }

    void read_tree(const SmiTree& tree) {
        for (const SmiDevice& device : tree.devices) {
            if (const auto address = pci_address_in(device.head))
                read_device(device, *address);
            else
                note(device.head);
        }
        take_version("MACA", value_at(tree.values, "maca_version"));
        take_version("driver", value_at(tree.values, "driver_version"));
    }

    void read_device(const SmiDevice& device, const std::string& address) {
        Gpu& gpu = at(address);
        read_head(device.head, gpu);
        take_values(device.values, gpu);
        const PciLink link = link_of(device.values);
        if (link != PciLink{})
            links_[address] = link;
        take_version("MACA", value_at(device.values, "version/maca"));
        take_version("driver", value_at(device.values, "version/kmd"));
        if (const auto reason = value_at(device.values, "unavailable_reason"))
            facts_.unread.push_back({"mx-smi, GPU " + address, *reason});
    }

    /// "GPU#0  MXC500  0000:37:00.0  Available (UUID: GPU-...)"; of JSON the address alone.
    void read_head(std::string_view head, Gpu& gpu) {
        if (!head.starts_with("GPU#"))
            return;
        if (const auto index = number_in(head.substr(4)); index && !gpu.index && *index >= 0 && *index < 1024)
            gpu.index = static_cast<int>(*index);
        const std::string_view rest = trim(head.substr(std::min(head.find(' '), head.size())));
        if (const std::string_view word = rest.substr(0, rest.find(' ')); !gpu.model && !pci_address_in(word))
            gpu.model = clean_utf8(word);
        constexpr std::string_view kUuid = "UUID: ";
        if (const std::size_t uuid = head.find(kUuid); uuid != std::string_view::npos && !gpu.uuid)
            gpu.uuid = clean_utf8(head.substr(uuid + kUuid.size(), head.find(')', uuid) - uuid - kUuid.size()));
        if (const std::size_t missing = head.find("Not Available"); missing != std::string_view::npos)
            facts_.unread.push_back({"mx-smi, GPU " + gpu.address, clean_utf8(head.substr(missing))});
    }

    /// "GPU#0 show-pcie-slot Sysfs error: No such file or directory"
    void note(std::string_view line) {
        const std::size_t blank = line.find(' ');
        if (line.find("error") != std::string_view::npos && blank != std::string_view::npos)
            facts_.unread.push_back(
                {"mx-smi, " + clean_utf8(line.substr(0, blank)), clean_utf8(trim(line.substr(blank)))});
    }

    /// Of -L: lines "SGPU#..." below a device are its slices.
    void read_slices(std::string_view text) {
        std::string address;
        while (!text.empty()) {
            const std::string_view line = trim(text.substr(0, text.find('\n')));
            text.remove_prefix(std::min(text.size(), std::min(text.find('\n'), text.size()) + 1));
            if (line.starts_with("GPU#"))
                address = pci_address_in(line).value_or("");
            else if (line.starts_with("SGPU#") && !address.empty())
                at(address).partitioned = true;
        }
    }

    void add_row(const Gpu& row) {
        Gpu& gpu = at(row.address);
        const auto fill = [&](auto... members) {
            const auto one = [&](auto member) {
                if (!(gpu.*member))
                    gpu.*member = row.*member;
            };
            (one(members), ...);
        };
        fill(&Gpu::index, &Gpu::model, &Gpu::memory_bytes, &Gpu::memory_used_bytes, &Gpu::temperature_c, &Gpu::power_w,
             &Gpu::power_limit_w, &Gpu::persistence, &Gpu::partitioned);
    }

    Machine facts_;
    std::map<std::string, Gpu> gpus_;
    std::map<std::string, PciLink> links_;
};

}  // namespace

bool looks_like_mx_smi(std::string_view text) {
    const auto has = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
    if (has("GPU#") && has("MXC"))
        return true;
    if (has("Device link type matrix"))
        return false;
    return has("mx-smi  version:") || has("MetaX System Management Interface") || has("| MX-SMI ");
}

Machine read_mx_smi(std::string_view text) {
    Reading reading;
    reading.read(text);
    return std::move(reading).facts();
}

}  // namespace gpuadapt::ingest

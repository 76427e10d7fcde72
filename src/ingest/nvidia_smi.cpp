// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_facts.hpp"
#include "ingest/smi_links.hpp"
#include "ingest/smi_table.hpp"

#include <gpuadapt/core/merge.hpp>
#include <gpuadapt/ingest/nvidia_smi.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

namespace gpuadapt::ingest {

namespace {

/// Rows of XML first, then those of the text, newer words before older ones.
constexpr SmiFact kFacts[] = {
    {"product_name", take_text<&Gpu::model>},
    {"uuid", take_text<&Gpu::uuid>},
    {"gpu_uuid", take_text<&Gpu::uuid>},
    {"serial", take_text<&Gpu::serial>},
    {"serial_number", take_text<&Gpu::serial>},
    {"board_part_number", take_text<&Gpu::part_number>},
    {"gpu_part_number", take_text<&Gpu::part_number>},
    {"vbios_version", take_text<&Gpu::vbios>},
    {"fb_memory_usage/total", take_bytes<&Gpu::memory_bytes>},
    {"fb_memory_usage/used", take_bytes<&Gpu::memory_used_bytes>},
    {"ecc_mode/current_ecc", take_switch<&Gpu::ecc>},
    {"ecc_mode/current", take_switch<&Gpu::ecc>},
    {"ecc_mode/pending_ecc", take_switch<&Gpu::ecc_pending>},
    {"ecc_mode/pending", take_switch<&Gpu::ecc_pending>},
    {"remapped_rows/remapped_row_pending", take_switch<&Gpu::remap_pending>},
    {"remapped_rows/pending", take_switch<&Gpu::remap_pending>},
    {"retired_pages/pending_retirement", take_switch<&Gpu::remap_pending>},
    {"retired_pages/pending_page_blacklist", take_switch<&Gpu::remap_pending>},
    {"clocks/graphics_clock", take_count<&Gpu::core_mhz>},
    {"clocks/graphics", take_count<&Gpu::core_mhz>},
    {"clocks/mem_clock", take_count<&Gpu::memory_mhz>},
    {"clocks/memory", take_count<&Gpu::memory_mhz>},
    {"max_clocks/graphics_clock", take_count<&Gpu::core_max_mhz>},
    {"max_clocks/graphics", take_count<&Gpu::core_max_mhz>},
    {"max_clocks/mem_clock", take_count<&Gpu::memory_max_mhz>},
    {"max_clocks/memory", take_count<&Gpu::memory_max_mhz>},
    {"temperature/gpu_temp", take_number<&Gpu::temperature_c>},
    {"temperature/gpu_current_temp", take_number<&Gpu::temperature_c>},
    {"persistence_mode", take_switch<&Gpu::persistence>},
    {"mig_mode/current_mig", take_switch<&Gpu::partitioned>},
    {"mig_mode/current", take_switch<&Gpu::partitioned>},
};

/// Titles of the power readings, and the keys below them, newer ones first.
constexpr std::array<std::string_view, 2> kPowerTitles = {"gpu_power_readings", "power_readings"};
constexpr SmiFact kPower[] = {
    {"/instant_power_draw", take_number<&Gpu::power_w>},
    {"/instantaneous_power_draw", take_number<&Gpu::power_w>},
    {"/average_power_draw", take_number<&Gpu::power_w>},
    {"/power_draw", take_number<&Gpu::power_w>},
    {"/current_power_limit", take_number<&Gpu::power_limit_w>},
    {"/power_limit", take_number<&Gpu::power_limit_w>},
    {"/default_power_limit", take_number<&Gpu::power_limit_default_w>},
};

/// As NVML names them: "sw_power_cap" of "clocks_event_reason_sw_power_cap" and of "SW Power Cap".
std::vector<std::string> throttle_reasons(const std::vector<SmiValue>& values) {
    std::vector<std::string> reasons;
    for (const std::string_view title : {"clocks_event_reasons", "clocks_throttle_reasons"})
        for (std::string reason : active_below(values, title)) {
            for (const std::string_view start : {"clocks_event_reason_", "clocks_throttle_reason_"})
                if (reason.starts_with(start))
                    reason.erase(0, start.size());
            reasons.push_back(reason == "idle" ? "gpu_idle" : std::move(reason));
        }
    return reasons;
}

void take_ecc(const std::vector<SmiValue>& values, Gpu& gpu) {
    constexpr std::string_view kSinceLoad = "ecc_errors/volatile";
    const auto sum = [&](std::initializer_list<std::string_view> parts) {
        std::optional<std::int64_t> total;
        for (const std::string_view part : parts)
            if (const auto one = sum_below(values, kSinceLoad, part))
                total = total.value_or(0) + *one;
        return total;
    };
    gpu.ecc_corrected = sum({"sram_correctable", "dram_correctable"});
    gpu.ecc_uncorrected = sum({"sram_uncorrectable", "dram_uncorrectable"});
    // Before Ampere there are totals of single and double bit errors.
    if (!gpu.ecc_corrected)
        gpu.ecc_corrected = sum_below(values, "ecc_errors/volatile/single_bit", "total");
    if (!gpu.ecc_uncorrected)
        gpu.ecc_uncorrected = sum_below(values, "ecc_errors/volatile/double_bit", "total");
}

std::optional<std::string> compute_mode(const std::vector<SmiValue>& values) {
    const auto mode = value_at(values, "compute_mode");
    return mode ? std::optional(path_word(*mode)) : std::nullopt;
}

/// Each begins with its number; XML and text have other words for the same.
std::vector<GpuProcess> processes(const std::vector<SmiValue>& values) {
    std::vector<GpuProcess> found;
    for (const SmiValue& value : values) {
        if (!value.path.starts_with("processes/"))
            continue;
        const std::string_view key = std::string_view(value.path).substr(value.path.rfind('/') + 1);
        if (key == "pid" || key == "process_id") {
            const auto pid = number_in(value.value);
            if (pid && *pid >= 0 && *pid < 1e10)
                found.push_back({static_cast<std::int64_t>(*pid), std::nullopt, std::nullopt});
        } else if (!found.empty() && (key == "process_name" || key == "name")) {
            found.back().name = value_at({value}, value.path);
        } else if (!found.empty() && (key == "used_memory" || key == "used_gpu_memory")) {
            found.back().memory_bytes = bytes_in(value.value);
        }
    }
    return found;
}

std::optional<Gpu> gpu_of(const SmiDevice& device) {
    const auto address = pci_address_in(device.head);
    if (!address)
        return std::nullopt;
    Gpu gpu;
    gpu.address = *address;
    gpu.vendor = "nvidia";
    take_facts(device.values, kFacts, gpu);
    for (const std::string_view title : kPowerTitles)
        for (const SmiFact& fact : kPower)
            if (const auto value = value_at(device.values, std::string(title) + std::string(fact.path)))
                fact.take(gpu, *value);
    take_ecc(device.values, gpu);
    gpu.compute_mode = compute_mode(device.values);
    gpu.throttle_reasons = throttle_reasons(device.values);
    gpu.processes = processes(device.values);
    return gpu;
}

/// Rows of XML first. "Device Max" is what the GPU can do; "Max", which older drivers have alone, what it can do in
/// this machine.
constexpr std::string_view kGenerationMax[] = {
    "pci/pci_gpu_link_info/pcie_gen/max_device_link_gen", "pci/gpu_link_info/pcie_generation/device_max",
    "pci/pci_gpu_link_info/pcie_gen/max_link_gen", "pci/gpu_link_info/pcie_generation/max"};
constexpr std::string_view kGeneration[] = {"pci/pci_gpu_link_info/pcie_gen/current_link_gen",
                                            "pci/gpu_link_info/pcie_generation/current"};
constexpr std::string_view kWidthMax[] = {"pci/pci_gpu_link_info/link_widths/max_link_width",
                                          "pci/gpu_link_info/link_width/max"};
constexpr std::string_view kWidth[] = {"pci/pci_gpu_link_info/link_widths/current_link_width",
                                       "pci/gpu_link_info/link_width/current"};

/// The number of the first of the rows that is there, from 1 to `most`: "16x", "5".
std::optional<int> count_at(const std::vector<SmiValue>& values, std::span<const std::string_view> rows, int most) {
    for (const std::string_view row : rows)
        if (const auto value = value_at(values, row))
            if (const auto number = number_in(*value); number && *number >= 1 && *number <= most)
                return static_cast<int>(*number);
    return std::nullopt;
}

/// PCI Express base specification: transfers of a lane by generation.
std::optional<double> speed_of(const std::optional<int>& generation) {
    constexpr std::array<double, 7> kSpeeds = {2.5, 5, 8, 16, 32, 64, 128};
    return generation ? std::optional(kSpeeds[static_cast<std::size_t>(*generation - 1)]) : std::nullopt;
}

/// The link as the tool tells of it; nullopt when it does not.
std::optional<PciDevice> link_of(const SmiDevice& device, const std::string& address) {
    constexpr int kGenerations = 7;
    constexpr int kLanes = 32;
    PciDevice found;
    found.address = address;
    found.link.capable_gt_s = speed_of(count_at(device.values, kGenerationMax, kGenerations));
    found.link.current_gt_s = speed_of(count_at(device.values, kGeneration, kGenerations));
    found.link.capable_width = count_at(device.values, kWidthMax, kLanes);
    found.link.current_width = count_at(device.values, kWidth, kLanes);
    return found.link == PciLink{} ? std::nullopt : std::optional(std::move(found));
}

constexpr std::string_view kFailures[] = {"ERR!", "GPU is lost", "GPU requires reset", "Unknown Error"};
constexpr std::string_view kNoHandle = "Unable to determine the device handle for GPU";

/// GPUs that do not answer. The words stand behind the GPU's address, or in the same line.
std::vector<Unread> failures_in(std::string_view text) {
    std::map<std::string, std::string> words;
    std::string address;
    for (const std::string_view line : text_lines(text)) {
        if (const auto found = pci_address_in(line))
            address = *found;
        for (const std::string_view failure : kFailures) {
            if (address.empty() || line.find(failure) == std::string_view::npos)
                continue;
            std::string& all = words[address];
            if (all.find(failure) == std::string::npos)
                all += (all.empty() ? "" : ", ") + std::string(failure);
        }
    }
    std::vector<Unread> notes;
    notes.reserve(words.size());
    for (const auto& [of, all] : words)
        notes.push_back({"nvidia-smi, GPU " + of, all});
    return notes;
}

Machine from_tree(const SmiTree& tree) {
    Machine facts;
    for (const SmiDevice& device : tree.devices)
        if (auto gpu = gpu_of(device)) {
            if (auto link = link_of(device, gpu->address))
                facts.pci_devices.push_back(std::move(*link));
            facts.gpus.push_back(std::move(*gpu));
        }
    // The order is that of the indices, when none was left out.
    const auto attached = value_at(tree.values, "attached_gpus");
    if (attached && number_in(*attached) == static_cast<double>(facts.gpus.size()))
        for (std::size_t i = 0; i < facts.gpus.size(); ++i)
            facts.gpus[i].index = static_cast<int>(i);
    if (const auto driver = value_at(tree.values, "driver_version"))
        facts.versions["driver"] = {*driver, std::nullopt};
    if (const auto cuda = value_at(tree.values, "cuda_version"))
        facts.versions["CUDA driver"] = {*cuda, std::nullopt};
    return facts;
}

bool is_xml(std::string_view text) {
    return text.find("<nvidia_smi_log") != std::string_view::npos;
}
bool is_blocks(std::string_view text) {
    return text.find("NVSMI LOG") != std::string_view::npos ||
           (text.find("\nGPU 0000") != std::string_view::npos && text.find("Product Name") != std::string_view::npos);
}
bool is_table(std::string_view text) {
    return text.find("NVIDIA-SMI ") != std::string_view::npos && has_smi_table(text);
}

}  // namespace

bool looks_like_nvidia_smi(std::string_view text) {
    return is_xml(text) || is_blocks(text) || is_table(text) || has_smi_list(text) ||
           text.find(kNoHandle) != std::string_view::npos;
}

Machine read_nvidia_smi(std::string_view text) {
    Machine facts;
    if (is_xml(text)) {
        facts = from_tree(read_smi_xml(text));
    } else if (is_blocks(text)) {
        facts = from_tree(read_smi_blocks(text));
    } else if (is_table(text)) {
        facts.gpus = read_smi_table(text, "nvidia");
        auto processes = read_smi_processes(text);
        for (Gpu& gpu : facts.gpus)
            take_processes(processes, gpu);
        if (const auto driver = header_value(text, "Driver Version:"))
            facts.versions["driver"] = {*driver, std::nullopt};
        if (const auto cuda = header_value(text, "CUDA Version:"))
            facts.versions["CUDA driver"] = {*cuda, std::nullopt};
    }
    if (has_smi_list(text)) {
        Machine links;
        links.gpus = read_smi_links(text);
        static_cast<void>(merge(facts, links));
    }
    const auto by_address = [](const auto& a, const auto& b) { return a.address < b.address; };
    std::stable_sort(facts.gpus.begin(), facts.gpus.end(), by_address);
    std::stable_sort(facts.pci_devices.begin(), facts.pci_devices.end(), by_address);
    facts.unread = failures_in(text);
    return facts;
}

}  // namespace gpuadapt::ingest

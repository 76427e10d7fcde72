// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

constexpr int kClassBridge = 0x0604;
constexpr int kClassNetwork = 0x02;

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string link_words(std::optional<double> gt_s, std::optional<int> width) {
    std::string text;
    if (gt_s) {
        const std::optional<int> generation = pcie_generation(*gt_s);
        text = generation ? fmt::format("Gen{}", *generation) : fmt::format("{:g} GT/s", *gt_s);
    } else {
        text = "Gen?";
    }
    return text + (width ? fmt::format(" x{}", *width) : " x?");
}

}  // namespace

Message not_read() {
    return {"not read", "未读到"};
}

Message link_not_read() {
    return {"link not read", "链路未读到"};
}

bool has_all_pci_devices(const Machine& machine) {
    return !machine.pci_devices.empty() && !machine.sources.contains("pci_devices") &&
           std::none_of(machine.unread.begin(), machine.unread.end(),
                        [](const Unread& unread) { return unread.path == "probe pci"; });
}

bool has_all_interfaces(const Machine& machine) {
    return !machine.interfaces.empty() && !machine.sources.contains("interfaces");
}

std::optional<Message> no_gpu(const Machine& machine) {
    if (!machine.gpus.empty() || !has_all_pci_devices(machine))
        return std::nullopt;
    return Message{"no GPU", "无GPU"};
}

Message no_interface(const Machine& machine) {
    return has_all_interfaces(machine) ? Message{"no physical interface seen", "未见物理网口"} : not_read();
}

Message joined(const std::vector<Message>& parts, const std::string& separator) {
    Message result;
    for (const Message& part : parts) {
        if (part.empty())
            continue;
        if (!result.empty()) {
            result.en += separator;
            result.zh += separator;
        }
        result.en += part.en;
        result.zh += part.zh;
    }
    return result;
}

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
    std::string result;
    for (const std::string& part : parts)
        result += (result.empty() ? "" : separator) + part;
    return result;
}

std::string folded(const std::vector<std::string>& items) {
    std::vector<std::pair<std::string, int>> counts;
    for (const std::string& item : items) {
        const auto found =
            std::find_if(counts.begin(), counts.end(), [&item](const auto& count) { return count.first == item; });
        if (found == counts.end())
            counts.emplace_back(item, 1);
        else
            ++found->second;
    }
    std::vector<std::string> parts;
    parts.reserve(counts.size());
    for (const auto& [item, count] : counts)
        parts.push_back(fmt::format("{} x {}", count, item));
    return joined(parts, ", ");
}

std::vector<const Finding*> worst_first(const std::vector<Finding>& findings) {
    std::vector<const Finding*> shown;
    for (const Finding& finding : findings)
        if (finding.severity != Severity::ok)
            shown.push_back(&finding);
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Finding* a, const Finding* b) { return a->severity > b->severity; });
    return shown;
}

Text severity_text(Severity severity) {
    switch (severity) {
        case Severity::ok:
            return {"ok", "正常"};
        case Severity::note:
            return {"note", "提示"};
        case Severity::unknown:
            return {"unknown", "未知"};
        case Severity::warning:
            return {"warning", "警告"};
        case Severity::failure:
            break;
    }
    return {"failure", "故障"};
}

std::string label_of(const Table& table, const std::string& name) {
    const auto found = table.labels.find(name);
    return found == table.labels.end() ? std::string() : found->second;
}

bool is_firmware_filler(std::string_view value) {
    static constexpr std::array<std::string_view, 12> kFillers = {
        "to be filled by o.e.m.", "to be filled by oem", "default string", "not specified", "system product name",
        "system manufacturer",    "system version",      "none",           "n/a",           "unknown",
        "not applicable",         "0123456789"};
    const std::string text = lower(trim(value));
    return std::find(kFillers.begin(), kFillers.end(), text) != kFillers.end() || text.rfind("to be filled", 0) == 0;
}

std::optional<std::string> filled(const std::optional<std::string>& value) {
    if (!value || trim(*value).empty() || is_firmware_filler(*value))
        return std::nullopt;
    return std::string(trim(*value));
}

std::optional<int> pcie_generation(double gt_s) {
    static constexpr std::array<double, 6> kRates = {2.5, 5, 8, 16, 32, 64};
    for (std::size_t i = 0; i < kRates.size(); ++i)
        if (std::abs(kRates[i] - gt_s) < 0.1)
            return static_cast<int>(i) + 1;
    return std::nullopt;
}

std::optional<Message> link_text(const PciLink& link) {
    if (!link.current_gt_s && !link.current_width)
        return std::nullopt;
    const std::string now = link_words(link.current_gt_s, link.current_width);
    const bool slower = link.capable_gt_s && link.current_gt_s && *link.current_gt_s < *link.capable_gt_s;
    const bool narrower = link.capable_width && link.current_width && *link.current_width < *link.capable_width;
    if (!slower && !narrower)
        return Message::same(now);
    const std::string best = link_words(link.capable_gt_s, link.capable_width);
    return Message{fmt::format("{} (of {})", now, best), fmt::format("{}（能力 {}）", now, best)};
}

bool is_bridge(const PciDevice& device) {
    return device.class_code && *device.class_code >> 8 == kClassBridge;
}

bool is_network(const PciDevice& device) {
    return device.class_code && *device.class_code >> 16 == kClassNetwork;
}

const PciDevice* find_device(const Machine& machine, std::string_view address) {
    for (const PciDevice& device : machine.pci_devices)
        if (device.address == address)
            return &device;
    return nullptr;
}

std::string device_name(const PciDevice& device) {
    std::string text;
    if (device.vendor_name)
        text = *device.vendor_name;
    else if (device.vendor_id)
        text = fmt::format("{:04x}", *device.vendor_id);
    if (device.device_name)
        text += (text.empty() ? "" : " ") + *device.device_name;
    else if (device.device_id)
        text += fmt::format("{}{:04x}", device.vendor_name ? " " : ":", *device.device_id);
    return text.empty() ? device.address : text;
}

std::string gpu_name(const Machine& machine, const Gpu& gpu) {
    if (gpu.model)
        return *gpu.model;
    const PciDevice* device = find_device(machine, gpu.address);
    return device ? device_name(*device) : gpu.vendor + " " + gpu.address;
}

std::vector<const PciDevice*> gpu_devices(const Machine& machine) {
    std::vector<const PciDevice*> devices;
    for (const Gpu& gpu : machine.gpus)
        if (const PciDevice* device = find_device(machine, gpu.address))
            devices.push_back(device);
    return devices;
}

std::vector<const PciDevice*> network_devices(const Machine& machine) {
    std::vector<const PciDevice*> devices;
    for (const PciDevice& device : machine.pci_devices)
        if (is_network(device))
            devices.push_back(&device);
    return devices;
}

}  // namespace gpuadapt::report

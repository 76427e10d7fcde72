// SPDX-License-Identifier: Apache-2.0
#include "check/judgement.hpp"

#include "check/rules.hpp"

#include <algorithm>

namespace gpuadapt::check {
namespace {

constexpr int kNetworkClass = 0x02;

int base_class(const PciDevice& device) {
    return device.class_code.value_or(-1) >> 16;
}

}  // namespace

Subject::Subject(const HostMachine& host, const Choice& choice)
    : machine(host.machine),
      topology(topology_of(host.machine)),
      profile(choice.profile.value_or(profile_of(machine))),
      family(os_family(machine)),
      expected(choice.expected) {
    for (const PciDevice& one : machine.pci_devices)
        devices_.emplace(one.address, &one);
    // A file for another model promises nothing of this one.
    if (expected != nullptr && expected->model && machine.dmi.product_name &&
        *expected->model != *machine.dmi.product_name)
        expected = nullptr;
}

const PciDevice* Subject::device(std::string_view address) const {
    const auto found = devices_.find(address);
    return found == devices_.end() ? nullptr : found->second;
}

const PciDevice* Subject::above(const PciDevice& device_below) const {
    return device_below.parent ? device(*device_below.parent) : nullptr;
}

std::vector<const PciDevice*> Subject::bridges_above(const PciDevice& device_below) const {
    std::vector<const PciDevice*> bridges;
    // A damaged record may have a ring.
    for (const PciDevice* bridge = above(device_below);
         bridge != nullptr && bridges.size() < machine.pci_devices.size(); bridge = above(*bridge))
        bridges.push_back(bridge);
    return bridges;
}

std::vector<const PciDevice*> Subject::gpu_devices() const {
    std::vector<const PciDevice*> found;
    for (const Gpu& gpu : machine.gpus)
        if (const PciDevice* one = device(gpu.address); one != nullptr && !one->physical_function)
            found.push_back(one);
    return found;
}

std::vector<const PciDevice*> Subject::network_devices() const {
    std::vector<const PciDevice*> found;
    for (const PciDevice& one : machine.pci_devices)
        if (base_class(one) == kNetworkClass && !one.physical_function)
            found.push_back(&one);
    return found;
}

std::optional<std::string> Subject::setting(std::string_view path) const {
    const auto found = machine.settings.find(std::string(path));
    return found == machine.settings.end() ? std::nullopt : std::optional(found->second);
}

const KernelModule* Subject::module(std::string_view name) const {
    const auto found = std::find_if(machine.modules.begin(), machine.modules.end(),
                                    [&](const KernelModule& one) { return one.name == name; });
    return found == machine.modules.end() ? nullptr : &*found;
}

std::string Subject::gpu_name(const Gpu& gpu) const {
    return gpu.index ? fmt::format("GPU{} {}", *gpu.index, gpu.address) : gpu.address;
}

std::optional<std::string> Subject::kernel_argument(std::string_view name) const {
    std::optional<std::string> value;
    std::string_view rest = machine.os.command_line ? std::string_view(*machine.os.command_line) : std::string_view();
    while (!rest.empty()) {
        // The kernel takes a blank inside double quotes as part of the value.
        std::size_t end = 0;
        for (bool quoted = false; end < rest.size() && (quoted || rest[end] != ' '); ++end)
            quoted ^= rest[end] == '"';
        std::string word(rest.substr(0, end));
        rest.remove_prefix(std::min(rest.size(), end + 1));
        std::erase(word, '"');
        const std::size_t equals = word.find('=');
        if (std::string_view(word).substr(0, equals) == name)
            value = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    return value;
}

Message Subject::why_unread(std::string_view source) const {
    for (const Unread& unread : machine.unread)
        if (matches(source, unread.path))
            return Message::same(fmt::format("{}: {}", unread.path, unread.reason));
    return say({"{}: not there, or not in what was read", "{}：不存在，或不在所读内容中"}, source);
}

void Judgement::ok() {
    if (outcome_.state == State::not_applicable)
        outcome_.state = State::evaluated;
}

Finding& Judgement::add(Severity severity, const std::string& subject, Message evidence, Message advice) {
    std::string whole = host_;
    if (!subject.empty())
        whole += (whole.empty() ? "" : " ") + subject;
    outcome_.findings.push_back(finding_of(self_, severity, std::move(whole), std::move(evidence), std::move(advice)));
    return outcome_.findings.back();
}

Finding& Judgement::wrong(const std::string& subject, Message evidence, Message advice) {
    return wrong(self_.severity, subject, std::move(evidence), std::move(advice));
}

Finding& Judgement::wrong(Severity severity, const std::string& subject, Message evidence, Message advice) {
    ok();
    return add(severity, subject, std::move(evidence), std::move(advice));
}

Finding& Judgement::unknown(const std::string& subject, Message why, Message advice) {
    outcome_.state = State::unknown;
    Finding& finding = add(Severity::unknown, subject, std::move(why), std::move(advice));
    finding.blocking = self_.severity == Severity::failure;
    return finding;
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > most ? text + fmt::format(", +{}", names.size() - most) : text;
}

bool matches(std::string_view pattern, std::string_view path) {
    // Where the last '*' stood, and what of the path it has taken so far.
    std::size_t star = std::string_view::npos, taken = 0;
    std::size_t p = 0;
    for (std::size_t i = 0; i < path.size();) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = i;
        } else if (p < pattern.size() && pattern[p] == path[i]) {
            ++p;
            ++i;
        } else if (star != std::string_view::npos && path[taken] != '/') {
            p = star + 1;
            i = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

}  // namespace gpuadapt::check

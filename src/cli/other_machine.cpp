// SPDX-License-Identifier: Apache-2.0
#include "cli/other_machine.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gpuadapt::cli {
namespace {

/// "8 x MetaX C500"; empty where it is not known whether there are any.
std::string gpus_of(const Machine& machine) {
    std::map<std::string, int> counts;
    for (const Gpu& gpu : machine.gpus)
        ++counts[gpu.model.value_or("?")];
    std::string text = machine.gpus.empty() && !machine.pci_devices.empty() ? "0 x GPU" : "";
    for (const auto& [model, count] : counts)
        text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, model);
    return text;
}

std::string host_label(std::string_view name) {
    return std::string(name.substr(0, name.find('.')));
}

Finding warning(const std::string& subject, const std::string& measured, const std::string& given) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.check = "SOURCE3";
    finding.subject = subject;
    finding.title = {"the numbers are of another machine than the one in the form", "测试数据与环境信息来自不同机器"};
    finding.evidence = {fmt::format("measured: {}; in the form: {}", measured, given),
                        fmt::format("测试数据：{}；环境信息：{}", measured, given)};
    finding.advice = {"Give a recording of the machine that the run was made on (--from), or none.",
                      "请提供实际测试机器的录制文件（--from），或不提供。"};
    return finding;
}

}  // namespace

std::optional<Finding> other_machine(const std::vector<HostMachine>& measured, const Machine& given) {
    std::optional<Finding> first;
    for (const HostMachine& host : measured) {
        const auto& cpu = host.machine.cpu.model;
        const std::string gpus = gpus_of(host.machine);
        const std::string given_gpus = gpus_of(given);
        std::optional<Finding> found;
        if (cpu && given.cpu.model && *cpu != *given.cpu.model)
            found = warning(host.host, *cpu, *given.cpu.model);
        else if (!gpus.empty() && !given_gpus.empty() && gpus != given_gpus)
            found = warning(host.host, gpus, given_gpus);
        if (!found)
            return std::nullopt;
        if (!first)
            first = std::move(found);
    }
    return first;
}

std::optional<Finding> other_machine(const Table& measured, const Machine& given) {
    const auto label = [&](const char* name) {
        const auto found = measured.labels.find(name);
        return found == measured.labels.end() ? std::string() : found->second;
    };
    const std::string source = label("source");
    const std::string hosts = label("hosts");
    if (!hosts.empty() && given.os.hostname && !hosts.ends_with("...")) {
        bool named = false;
        for (std::string_view rest = hosts; !rest.empty();) {
            const std::size_t end = std::min(rest.find(", "), rest.size());
            named = named || host_label(rest.substr(0, end)) == host_label(*given.os.hostname);
            rest.remove_prefix(std::min(end + 2, rest.size()));
        }
        if (!named)
            return warning(source, hosts, *given.os.hostname);
    }
    const std::string devices = label("devices");
    if (!devices.empty() && label("tool") != "gpuadapt" && gpus_of(given) == "0 x GPU")
        return warning(source, devices, gpus_of(given));
    return std::nullopt;
}

}  // namespace gpuadapt::cli

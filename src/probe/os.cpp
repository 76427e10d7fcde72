// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/cpuinfo.hpp"
#include "probe/parse.hpp"
#include "probe/system_texts.hpp"

#include <gpuadapt/core/text.hpp>

namespace gpuadapt {

namespace {

void probe_release(Root& root, Os& os) {
    auto text = root.read("/etc/os-release");
    if (!text)
        text = root.read("/usr/lib/os-release");
    const auto values = parse_os_release(text.value_or(""));
    const auto value = [&](const char* key) -> std::optional<std::string> {
        const auto found = values.find(key);
        return found == values.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
    };
    os.name = value("PRETTY_NAME");
    if (!os.name)
        os.name = value("NAME");
    os.id = value("ID");
    os.version_id = value("VERSION_ID");
}

std::optional<std::string> find_container(Root& root) {
    if (root.exists("/var/run/secrets/kubernetes.io/serviceaccount"))
        return "kubernetes";
    if (auto name = root.read_line("/run/systemd/container"))
        return name;
    if (root.exists("/run/.containerenv"))
        return "podman";
    if (root.exists("/.dockerenv"))
        return "docker";
    return container_of_cgroup(root.read("/proc/1/cgroup").value_or(""));
}

/// A guest's own DMI may be that of a cloud that also rents out bare metal: on x86 the flag decides.
std::optional<std::string> find_hypervisor(Root& root, const Dmi& dmi) {
    if (auto type = root.read_line("/sys/hypervisor/type"))
        return type;
    const CpuInfo info = parse_cpuinfo(root.read("/proc/cpuinfo", std::size_t{32} << 20).value_or(""));
    const bool has_flag = info.architecture == "x86_64" || info.architecture == "i686";
    if (has_flag && !info.hypervisor)
        return std::nullopt;
    const auto clocks = root.read_line("/sys/devices/system/clocksource/clocksource0/available_clocksource");
    if (auto name = hypervisor_of_clocks(clocks.value_or("")))
        return name;
    if (auto name = hypervisor_of_dmi(dmi))
        return name;
    // Strings of a device tree end in a NUL.
    const std::string tree = root.read("/proc/device-tree/hypervisor/compatible").value_or("");
    if (tree.find("kvm") != std::string::npos)
        return "kvm";
    if (tree.find("xen") != std::string::npos)
        return "xen";
    return has_flag ? std::optional<std::string>("unknown") : std::nullopt;
}

}  // namespace

void probe_os(Root& root, Machine& machine) {
    Os& os = machine.os;
    os.hostname = root.read_line("/proc/sys/kernel/hostname");
    os.kernel = root.read_line("/proc/sys/kernel/osrelease");
    os.command_line = root.read_line("/proc/cmdline");
    probe_release(root, os);
    os.container = find_container(root);
    os.hypervisor = find_hypervisor(root, machine.dmi);
    if (const auto units = root.list("/sys/class/iommu"))
        machine.iommu_active = !units->empty();
}

}  // namespace gpuadapt

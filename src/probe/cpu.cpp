// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/cpu_topology.hpp"
#include "probe/cpuinfo.hpp"
#include "probe/parse.hpp"
#include "probe/smbios.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>

/// /sys/devices/system/cpu (Documentation/ABI/testing/sysfs-devices-system-cpu, admin-guide/cputopology.rst,
/// admin-guide/pm/{cpufreq,intel_pstate,amd-pstate,cpuidle}.rst) and /proc/cpuinfo.
namespace gpuadapt {

namespace {

const std::string kCpus = "/sys/devices/system/cpu/";
constexpr std::size_t kCpuinfoLimit = std::size_t{32} << 20;  // 2 KiB a CPU

/// One folder for each set of CPUs that share a frequency; each CPU has a link to it, which old kernels have alone. A
/// set whose CPU is not online answers nothing.
std::vector<std::string> frequency_folders(Root& root, const std::vector<int>& cpus) {
    std::vector<std::string> folders;
    const std::string policies = kCpus + "cpufreq/";
    for (const auto& [number, name] : numbered(root.list(policies).value_or(std::vector<std::string>{}), "policy"))
        if (cpus.empty() || std::binary_search(cpus.begin(), cpus.end(), number))
            folders.push_back(policies + name + "/");
    if (!folders.empty() || cpus.empty() || !root.exists(cpu_folder(cpus[0]) + "cpufreq"))
        return folders;
    for (const int cpu : cpus)
        folders.push_back(cpu_folder(cpu) + "cpufreq/");
    return folders;
}

/// The different values of a file over the folders; nullopt when one of them has none.
std::optional<std::string> values_of(Root& root, const std::vector<std::string>& folders, const char* name) {
    std::optional<std::string> values;
    for (const std::string& folder : folders) {
        const auto value = root.read_line(folder + name);
        if (!value)
            return std::nullopt;
        join_distinct(values, value);
    }
    return values;
}

void probe_frequency(Root& root, const std::vector<int>& cpus, Cpu& cpu) {
    const auto folders = frequency_folders(root, cpus);
    cpu.governor = values_of(root, folders, "scaling_governor");
    cpu.energy_preference = values_of(root, folders, "energy_performance_preference");
    cpu.limit_min_khz = values_of(root, folders, "scaling_min_freq");
    cpu.limit_max_khz = values_of(root, folders, "scaling_max_freq");
    for (const char* driver : {"intel_pstate", "amd_pstate"})
        if (!cpu.pstate_mode)
            cpu.pstate_mode = root.read_line(kCpus + driver + "/status");
    if (folders.empty())
        return;
    cpu.scaling_driver = root.read_line(folders[0] + "scaling_driver");  // the kernel has one
    cpu.min_khz = read_int(root, folders[0] + "cpuinfo_min_freq");
    cpu.max_khz = read_int(root, folders[0] + "cpuinfo_max_freq");
    if (const auto no_turbo = read_int(root, kCpus + "intel_pstate/no_turbo"))
        cpu.boost = *no_turbo == 0;
    else if (const auto boost = read_int(root, kCpus + "cpufreq/boost"))
        cpu.boost = *boost != 0;
    else if (const auto own = read_int(root, folders[0] + "boost"))
        cpu.boost = *own != 0;
}

void probe_idle(Root& root, int first_cpu, Cpu& cpu) {
    cpu.idle_driver = root.read_line(kCpus + "cpuidle/current_driver");
    const std::string folder = cpu_folder(first_cpu) + "cpuidle/";
    for (const auto& [number, name] : numbered(root.list(folder).value_or(std::vector<std::string>{}), "state")) {
        const auto title = root.read_line(folder + name + "/name");
        const auto disable = read_int(root, folder + name + "/disable");
        if (!title || !disable) {
            cpu.idle_states.clear();  // which of them are used is not known
            return;
        }
        cpu.idle_states.push_back((*disable != 0 ? "-" : "") + *title);
    }
}

/// Firmware that has no name of the processor puts in one of these.
bool is_name(std::string_view text) {
    constexpr std::string_view kNoNames[] = {"notspecified",       "unknown", "none",         "n/a",
                                             "tobefilledbyo.e.m.", "default", "defaultstring"};
    std::string plain;
    for (const char c : text)
        if (c != ' ')
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return std::find(std::begin(kNoNames), std::end(kNoNames), plain) == std::end(kNoNames) &&
           plain.find_first_not_of("0.-") != std::string::npos;
}

/// What the firmware calls the processors, for Arm, where the registers only name the core's design.
void ask_firmware(Root& root, Cpu& cpu) {
    const auto table = root.read("/sys/firmware/dmi/tables/DMI");
    if (!table)
        return;
    const Smbios smbios = decode_smbios(*table);
    for (const std::string& model : smbios.cpu_models)
        if (!cpu.model && is_name(model))
            cpu.model = single_blanks(model);
    if (!cpu.sockets && smbios.cpu_sockets > 0)
        cpu.sockets = smbios.cpu_sockets;
}

/// Where the firmware counts the sockets: each has as many cores, when all are online and that comes out even.
void share_out_cores(Cpu& cpu) {
    const bool all_online = !cpu.offline || cpu.offline->empty();
    if (all_online && cpu.sockets && cpu.cores && *cpu.cores % *cpu.sockets == 0)
        cpu.cores_per_socket = *cpu.cores / *cpu.sockets;
}

}  // namespace

void probe_cpu(Root& root, Machine& machine) {
    Cpu& cpu = machine.cpu;
    const CpuInfo info = parse_cpuinfo(root.read("/proc/cpuinfo", kCpuinfoLimit).value_or(""));
    cpu.architecture = root.read_line("/proc/sys/kernel/arch");  // since Linux 6.1
    if (!cpu.architecture)
        cpu.architecture = info.architecture;
    cpu.vendor = info.vendor;
    cpu.model = info.model;
    cpu.microcode = info.microcode;
    cpu.family = info.family;
    cpu.model_number = info.model_number;

    const auto cpus = online_cpus(root, cpu);
    if (const auto offline = root.read(kCpus + "offline"))  // empty when there is none, so not by read_line()
        cpu.offline = trim(clean_utf8(*offline));
    cpu.smt = root.read_line(kCpus + "smt/control");
    probe_topology(root, cpus, cpu);
    const bool sockets_by_kernel = cpu.sockets.has_value();
    const int first = cpus.empty() ? 0 : cpus[0];
    probe_caches(root, cpus, cpu);
    probe_frequency(root, cpus, cpu);
    probe_idle(root, first, cpu);
    if (!cpu.model || !cpu.sockets)
        ask_firmware(root, cpu);
    if (!cpu.model)
        cpu.model = info.part;
    if (!sockets_by_kernel)
        share_out_cores(cpu);
}

}  // namespace gpuadapt

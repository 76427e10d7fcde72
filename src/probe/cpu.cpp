// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/cpuinfo.hpp"
#include "probe/parse.hpp"
#include "probe/smbios.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <map>
#include <set>

/// /sys/devices/system/cpu (Documentation/ABI/testing/sysfs-devices-system-cpu, admin-guide/cputopology.rst,
/// admin-guide/pm/{cpufreq,intel_pstate,amd-pstate,cpuidle}.rst) and /proc/cpuinfo.
namespace gpuadapt {

namespace {

const std::string kCpus = "/sys/devices/system/cpu/";
constexpr std::size_t kCpuinfoLimit = std::size_t{32} << 20;  // 2 KiB a CPU

std::string cpu_folder(int cpu) {
    return kCpus + "cpu" + std::to_string(cpu) + "/";
}

/// Online CPUs; those with a folder where the kernel does not say.
std::vector<int> online_cpus(Root& root, Cpu& cpu) {
    cpu.online = root.read_line(kCpus + "online");
    if (cpu.online) {
        if (auto cpus = parse_cpu_list(*cpu.online); cpus && !cpus->empty()) {
            cpu.logical_cpus = static_cast<int>(cpus->size());
            return *cpus;
        }
        root.note_unread(kCpus + "online", "not a list of CPUs");
        cpu.online.reset();
    }
    std::vector<int> cpus;
    for (const auto& [number, name] : numbered(root.list(kCpus).value_or(std::vector<std::string>{}), "cpu"))
        if (root.exists(kCpus + name + "/topology"))
            cpus.push_back(number);
    if (!cpus.empty())
        cpu.logical_cpus = static_cast<int>(cpus.size());
    return cpus;
}

/// The first of the file names that this kernel has: the names changed in Linux 5.3.
std::optional<std::string> topology_file(Root& root, int cpu, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (root.exists(cpu_folder(cpu) + "topology/" + name))
            return std::string("topology/") + name;
    return std::nullopt;
}

/// CPUs whose file has the same text share a core, or a socket.
void probe_topology(Root& root, const std::vector<int>& cpus, Cpu& cpu) {
    if (cpus.empty())
        return;
    const auto core_file =
        topology_file(root, cpus[0], {"core_cpus_list", "thread_siblings_list", "core_cpus", "thread_siblings"});
    const auto socket_file =
        topology_file(root, cpus[0], {"package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings"});
    if (!core_file || !socket_file)
        return;
    std::map<std::string, int> threads;                    // of a core
    std::map<std::string, std::set<std::string>> sockets;  // to cores
    for (const int number : cpus) {
        const auto core = root.read_line(cpu_folder(number) + *core_file);
        const auto socket = root.read_line(cpu_folder(number) + *socket_file);
        if (!core || !socket)
            return;
        ++threads[*core];
        sockets[*socket].insert(*core);
    }
    cpu.threads_per_core = std::max_element(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
                               return a.second < b.second;
                           })->second;
    // Firmware without a processor topology table (Arm, PPTT): the kernel then makes up the sockets.
    if (read_int(root, cpu_folder(cpus[0]) + "topology/physical_package_id").value_or(0) < 0)
        return;
    cpu.sockets = static_cast<int>(sockets.size());
    std::size_t most = 0;
    for (const auto& [socket, cores] : sockets)
        most = std::max(most, cores.size());
    cpu.cores_per_socket = static_cast<int>(most);
}

void probe_caches(Root& root, int first_cpu, Cpu& cpu) {
    const std::string folder = cpu_folder(first_cpu) + "cache/";
    for (const auto& [number, name] : numbered(root.list(folder).value_or(std::vector<std::string>{}), "index")) {
        const std::string index = folder + name + "/";
        const auto level = read_int(root, index + "level");
        const auto type = root.read_line(index + "type");
        const auto size = root.read_line(index + "size");
        if (!level || !type || !size || *type == "Instruction")
            continue;
        const auto bytes = parse_cache_size(*size);
        if (*level == 1)
            cpu.l1d_bytes = bytes;
        else if (*level == 2)
            cpu.l2_bytes = bytes;
        else if (*level == 3)
            cpu.l3_bytes = bytes;
    }
}

/// One folder for each set of CPUs that share a frequency; each CPU has a link to it, which old kernels have alone.
std::vector<std::string> frequency_folders(Root& root, const std::vector<int>& cpus) {
    std::vector<std::string> folders;
    const std::string policies = kCpus + "cpufreq/";
    for (const auto& [number, name] : numbered(root.list(policies).value_or(std::vector<std::string>{}), "policy"))
        folders.push_back(policies + name + "/");
    if (!folders.empty() || cpus.empty() || !root.exists(cpu_folder(cpus[0]) + "cpufreq"))
        return folders;
    for (const int cpu : cpus)
        folders.push_back(cpu_folder(cpu) + "cpufreq/");
    return folders;
}

void probe_frequency(Root& root, const std::vector<int>& cpus, Cpu& cpu) {
    const auto folders = frequency_folders(root, cpus);
    for (const std::string& folder : folders) {
        join_distinct(cpu.scaling_driver, root.read_line(folder + "scaling_driver"));
        join_distinct(cpu.governor, root.read_line(folder + "scaling_governor"));
        join_distinct(cpu.energy_preference, root.read_line(folder + "energy_performance_preference"));
    }
    if (folders.empty())
        return;
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
        if (!title)
            continue;
        const bool disabled = read_int(root, folder + name + "/disable").value_or(0) != 0;
        cpu.idle_states.push_back((disabled ? "-" : "") + *title);
    }
}

/// What the firmware calls the processors, for Arm, where the registers only name the core's design.
void ask_firmware(Root& root, Cpu& cpu) {
    const auto table = root.read("/sys/firmware/dmi/tables/DMI");
    if (!table)
        return;
    const Smbios smbios = decode_smbios(*table);
    if (!cpu.model && !smbios.cpu_models.empty())
        cpu.model = single_blanks(smbios.cpu_models[0]);
    if (!cpu.sockets && smbios.cpu_sockets > 0)
        cpu.sockets = smbios.cpu_sockets;
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
    probe_topology(root, cpus, cpu);
    const int first = cpus.empty() ? 0 : cpus[0];
    probe_caches(root, first, cpu);
    probe_frequency(root, cpus, cpu);
    probe_idle(root, first, cpu);
    if (!cpu.model || !cpu.sockets)
        ask_firmware(root, cpu);
    if (!cpu.model)
        cpu.model = info.part;
    if (!cpu.cores_per_socket && cpu.sockets && cpu.threads_per_core && cpu.logical_cpus)
        cpu.cores_per_socket = *cpu.logical_cpus / (*cpu.sockets * *cpu.threads_per_core);
}

}  // namespace gpuadapt

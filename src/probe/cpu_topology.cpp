// SPDX-License-Identifier: Apache-2.0
#include "probe/cpu_topology.hpp"

#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

/// /sys/devices/system/cpu (Documentation/ABI/testing/sysfs-devices-system-cpu, admin-guide/cputopology.rst).
namespace gpuadapt {

namespace {

const std::string kCpus = "/sys/devices/system/cpu/";

/// The first of the file names that this kernel has: the names changed in Linux 5.3.
std::optional<std::string> topology_file(Root& root, int cpu, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (root.exists(cpu_folder(cpu) + "topology/" + name))
            return std::string("topology/") + name;
    return std::nullopt;
}

/// By CPU the text of its file: CPUs that share a core, a socket or a cache have the same. A list names its CPUs, so
/// that the others in it need not be asked. nullopt when one has no such file.
std::optional<std::map<int, std::string>> shared_by(Root& root, const std::vector<int>& cpus, const std::string& file) {
    std::map<int, std::string> groups;
    for (const int cpu : cpus) {
        if (groups.contains(cpu))
            continue;
        const auto text = root.read_line(cpu_folder(cpu) + file);
        if (!text)
            return std::nullopt;
        groups[cpu] = *text;
        if (file.ends_with("_list"))
            for (const int other : parse_cpu_list(*text).value_or(std::vector<int>{}))
                groups.try_emplace(other, *text);
    }
    return groups;
}

/// How many caches of the last level: by one that the first CPU has.
std::optional<int> count_caches(Root& root, const std::vector<int>& cpus, const std::string& index) {
    const auto shared = shared_by(root, cpus, "cache/" + index + "/shared_cpu_list");
    if (!shared)
        return std::nullopt;
    std::set<std::string_view> different;
    for (const int cpu : cpus)
        different.insert(shared->at(cpu));
    return static_cast<int>(different.size());
}

}  // namespace

std::string cpu_folder(int cpu) {
    return kCpus + "cpu" + std::to_string(cpu) + "/";
}

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

void probe_topology(Root& root, const std::vector<int>& cpus, Cpu& cpu) {
    if (cpus.empty())
        return;
    const auto core_file =
        topology_file(root, cpus[0], {"core_cpus_list", "thread_siblings_list", "core_cpus", "thread_siblings"});
    const auto socket_file =
        topology_file(root, cpus[0], {"package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings"});
    const auto cores = core_file ? shared_by(root, cpus, *core_file) : std::nullopt;
    const auto packages = socket_file ? shared_by(root, cpus, *socket_file) : std::nullopt;
    if (!cores || !packages)
        return;
    std::map<std::string_view, int> threads;                         // of a core
    std::map<std::string_view, std::set<std::string_view>> sockets;  // to cores
    for (const int number : cpus) {
        ++threads[cores->at(number)];
        sockets[packages->at(number)].insert(cores->at(number));
    }
    cpu.threads_per_core = std::max_element(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
                               return a.second < b.second;
                           })->second;
    // Firmware without a processor topology table (Arm, PPTT): the kernel then makes up the sockets.
    if (read_int(root, cpu_folder(cpus[0]) + "topology/physical_package_id").value_or(0) < 0)
        return;
    cpu.sockets = static_cast<int>(sockets.size());
    std::size_t most = 0;
    for (const auto& [socket, of_socket] : sockets)
        most = std::max(most, of_socket.size());
    // Sockets of different sizes: offline CPUs, or clusters of cores (Arm) that the kernel takes for sockets.
    const bool all_online = !cpu.offline || cpu.offline->empty();
    if (!all_online || most * sockets.size() == threads.size())
        cpu.cores_per_socket = static_cast<int>(most);
}

void probe_caches(Root& root, const std::vector<int>& cpus, Cpu& cpu) {
    struct Cache {
        int level;
        bool instructions;
        std::optional<std::int64_t> Cpu::*bytes;
    };
    constexpr Cache kCaches[] = {{1, false, &Cpu::l1d_bytes},
                                 {1, true, &Cpu::l1i_bytes},
                                 {2, false, &Cpu::l2_bytes},
                                 {3, false, &Cpu::l3_bytes}};
    if (cpus.empty())
        return;
    const std::string folder = cpu_folder(cpus[0]) + "cache/";
    for (const auto& [number, name] : numbered(root.list(folder).value_or(std::vector<std::string>{}), "index")) {
        const std::string index = folder + name + "/";
        const auto level = read_int(root, index + "level");
        const auto type = root.read_line(index + "type");
        const auto size = root.read_line(index + "size");
        if (!level || !type || !size)
            continue;
        for (const Cache& cache : kCaches)
            if (*level == cache.level && (*type == "Instruction") == cache.instructions)
                cpu.*cache.bytes = parse_cache_size(*size);
        if (*level == 3)
            cpu.l3_instances = count_caches(root, cpus, name);
    }
}

}  // namespace gpuadapt

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
constexpr std::string_view kS390 = "IBM/S390";  ///< its vendor in /proc/cpuinfo

/// By CPU the name of a set that it belongs to, a core or a socket: CPUs of one set have the same.
using Sets = std::map<int, std::string>;

/// The first of the file names that this kernel has: the names changed in Linux 5.3.
std::optional<std::string> topology_file(Root& root, int cpu, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (root.exists(cpu_folder(cpu) + "topology/" + name))
            return std::string("topology/") + name;
    return std::nullopt;
}

/// Sets by the text of a file in which each CPU names those that share something with it. A list names its CPUs, so
/// that the others in it need not be asked. nullopt when one has no such file.
std::optional<Sets> shared_by(Root& root, const std::vector<int>& cpus, const std::string& file) {
    Sets sets;
    for (const int cpu : cpus) {
        if (sets.contains(cpu))
            continue;
        const auto text = root.read_line(cpu_folder(cpu) + file);
        if (!text)
            return std::nullopt;
        sets[cpu] = *text;
        if (file.ends_with("_list"))
            for (const int other : parse_cpu_list(*text).value_or(std::vector<int>{}))
                sets.try_emplace(other, *text);
    }
    return sets;
}

/// How many sets these CPUs are in.
int count_sets(const std::vector<int>& cpus, const Sets& sets) {
    std::set<std::string_view> different;
    for (const int cpu : cpus)
        different.insert(sets.at(cpu));
    return static_cast<int>(different.size());
}

/// How many caches of the last level: by one that the first CPU has.
std::optional<int> count_caches(Root& root, const std::vector<int>& cpus, const std::string& index) {
    const auto shared = shared_by(root, cpus, "cache/" + index + "/shared_cpu_list");
    return shared ? std::optional(count_sets(cpus, *shared)) : std::nullopt;
}

/// nullopt when the kernel knows no cores: its number of them is then -1, and the set made up (RISC-V without a map of
/// the processors).
std::optional<Sets> cores_of(Root& root, const std::vector<int>& cpus) {
    const auto file =
        topology_file(root, cpus[0], {"core_cpus_list", "thread_siblings_list", "core_cpus", "thread_siblings"});
    const bool known = read_int(root, cpu_folder(cpus[0]) + "topology/core_id").value_or(0) >= 0;
    return file && known ? shared_by(root, cpus, *file) : std::nullopt;
}

/// Arm whose firmware has tables, but not the one of the processors: the kernel's sockets are clusters or NUMA nodes.
bool lacks_processor_table(Root& root, const Cpu& cpu) {
    const auto tables = cpu.architecture == "aarch64" ? root.list("/sys/firmware/acpi/tables") : std::nullopt;
    return tables && !tables->empty() && std::find(tables->begin(), tables->end(), "PPTT") == tables->end();
}

/// nullopt when the kernel knows no sockets: its number of them is then -1, and the sets made up (a core each on POWER,
/// a CPU each on Itanium and SPARC). On s390 the sets are the hypervisor's, with or without a number.
std::optional<Sets> sockets_of(Root& root, const std::vector<int>& cpus, const Cpu& cpu) {
    const auto file =
        topology_file(root, cpus[0], {"package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings"});
    if (!file || lacks_processor_table(root, cpu))
        return std::nullopt;
    if (cpu.vendor != kS390 && read_int(root, cpu_folder(cpus[0]) + "topology/physical_package_id").value_or(-1) < 0)
        return std::nullopt;
    return shared_by(root, cpus, *file);
}

/// The most CPUs that a core has.
int most_threads(const std::vector<int>& cpus, const Sets& cores) {
    std::map<std::string_view, int> threads;
    int most = 0;
    for (const int cpu : cpus)
        most = std::max(most, ++threads[cores.at(cpu)]);
    return most;
}

/// How many cores a socket of an s390 has; nullopt below a hypervisor that does not tell. The line gives the sizes of
/// the hardware's levels, the largest first: of a book how many sockets, of a socket how many cores.
std::optional<int> cores_of_s390(Root& root) {
    const std::string text = root.read("/proc/sysinfo").value_or("");
    for (const std::string_view line : split_lines(text)) {
        const auto pair = split_pair(line, ':');
        if (!pair || pair->first != "CPU Topology SW")
            continue;
        const auto sizes = split_words(pair->second);
        const auto cores = sizes.size() == 6 ? parse_int(sizes.back()) : std::nullopt;
        return cores && *cores > 0 ? cores : std::nullopt;
    }
    return std::nullopt;
}

/// nullopt when the sockets differ: some cores may be offline.
std::optional<int> cores_of_each(const std::vector<int>& cpus, const Sets& cores, const Sets& sockets) {
    std::map<std::string_view, std::set<std::string_view>> cores_of_socket;
    for (const int cpu : cpus)
        cores_of_socket[sockets.at(cpu)].insert(cores.at(cpu));
    const std::size_t first = cores_of_socket.begin()->second.size();
    const bool equal = std::all_of(cores_of_socket.begin(), cores_of_socket.end(),
                                   [&](const auto& socket) { return socket.second.size() == first; });
    return equal ? std::optional(static_cast<int>(first)) : std::nullopt;
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
        if (root.exists(kCpus + name + "/topology") && read_int(root, kCpus + name + "/online").value_or(1) != 0)
            cpus.push_back(number);
    if (!cpus.empty())
        cpu.logical_cpus = static_cast<int>(cpus.size());
    return cpus;
}

void probe_topology(Root& root, const std::vector<int>& cpus, Cpu& cpu) {
    if (cpus.empty())
        return;
    const auto cores = cores_of(root, cpus);
    const auto sockets = sockets_of(root, cpus, cpu);
    if (cores) {
        cpu.cores = count_sets(cpus, *cores);
        cpu.threads_per_core = most_threads(cpus, *cores);
    }
    if (cpu.vendor == kS390)  // a partition seldom has all cores of a socket, so its own sets say little
        cpu.cores_per_socket = cores_of_s390(root);
    if (cores && sockets && !cpu.cores_per_socket)
        cpu.cores_per_socket = cores_of_each(cpus, *cores, *sockets);
    // Arm without tables of firmware: the kernel may take clusters of cores for sockets; their sizes tell.
    const bool clusters = cores && !cpu.cores_per_socket && cpu.architecture == "aarch64" && cpu.offline == "";
    if (sockets && !clusters)
        cpu.sockets = count_sets(cpus, *sockets);
}

void probe_caches(Root& root, const std::vector<int>& cpus, Cpu& cpu) {
    struct Cache {
        int level;
        bool instructions;
        std::optional<std::int64_t> Cpu::*bytes;
        const char* sparc_file;  ///< bytes; SPARC has these instead of a folder
    };
    constexpr Cache kCaches[] = {{1, false, &Cpu::l1d_bytes, "l1_dcache_size"},
                                 {1, true, &Cpu::l1i_bytes, "l1_icache_size"},
                                 {2, false, &Cpu::l2_bytes, "l2_cache_size"},
                                 {3, false, &Cpu::l3_bytes, nullptr}};
    if (cpus.empty())
        return;
    const std::string own = cpu_folder(cpus[0]);
    const std::string folder = own + "cache/";
    const auto caches = root.list(folder);
    for (const auto& [number, name] : numbered(caches.value_or(std::vector<std::string>{}), "index")) {
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
    if (caches || !root.exists(own + kCaches[0].sparc_file))
        return;
    for (const Cache& cache : kCaches)
        if (const auto size = cache.sparc_file ? root.read_line(own + cache.sparc_file) : std::nullopt)
            cpu.*cache.bytes = parse_count(*size);
}

}  // namespace gpuadapt

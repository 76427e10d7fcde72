// SPDX-License-Identifier: Apache-2.0
#include "probe/from_texts.hpp"

#include "probe/parse.hpp"
#include "probe/smbios.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/ingest/dmidecode.hpp>
#include <gpuadapt/ingest/lscpu.hpp>
#include <gpuadapt/ingest/plain_text.hpp>
#include <gpuadapt/ingest/rdma_state.hpp>
#include <gpuadapt/ingest/topo_matrix.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr std::size_t kMostDisagreements = 100;
constexpr std::size_t kLargestMatrix = std::size_t{16} << 10;

/// The names that the hypervisors' own readers use.
std::string hypervisor_name(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name == "microsoft" ? "hyperv" : name;
}

/// A machine of which only some files are known; `name` stands for them in notes.
Machine probe_files(const Answers& files, const std::vector<std::string>& probes, const std::string& name) {
    MemoryRoot root(files);
    Machine machine = probe_machine(root, probes);
    // What is wrong with these files counts; that there are no others is no news.
    std::erase_if(machine.unread, [&](const Unread& entry) { return !files.files.contains(entry.path); });
    for (Unread& entry : machine.unread)
        entry.path = name;
    return machine;
}

bool has_line(std::string_view text, std::string_view start) {
    const auto lines = ingest::text_lines(text);
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
        const auto pair = split_pair(line, ':');
        return pair && pair->first == start;
    });
}

/// What follows the entry point that `dmidecode --dump-bin` writes first.
std::string_view smbios_table(std::string_view raw) {
    constexpr std::size_t kTableStart = 0x20;
    const bool has_entry_point = raw.starts_with("_SM_") || raw.starts_with("_SM3_");
    return has_entry_point && raw.size() > kTableStart ? raw.substr(kTableStart) : raw;
}

}  // namespace

void note_disagreement(Machine& machine, const std::string& path, const std::string& first, const std::string& second) {
    const auto count =
        static_cast<std::size_t>(std::count_if(machine.unread.begin(), machine.unread.end(),
                                               [](const Unread& entry) { return entry.path.starts_with(kDisagrees); }));
    if (count > kMostDisagreements)
        return;
    if (count == kMostDisagreements)
        machine.unread.push_back({std::string(kDisagrees) + "...", "more than 100 facts"});
    else
        machine.unread.push_back(
            {std::string(kDisagrees) + path, fmt::format("{} / {}", first.substr(0, 200), second.substr(0, 200))});
}

bool machine_from_dmidecode(std::string_view, std::string_view text, const std::string& name, Machine& machine) {
    auto found = ingest::read_dmidecode(text);
    if (!found)
        return false;
    machine.dmi = std::move(found->dmi);
    machine.bmc = std::move(found->bmc);
    machine.board_slots = std::move(found->board_slots);
    machine.dimms = std::move(found->dimms);
    machine.dimm_slots = found->dimm_slots;
    machine.cpu.model = std::move(found->cpu_model);
    machine.cpu.sockets = found->cpu_sockets;
    machine.cpu.cores_per_socket = found->cpu_cores_per_socket;
    if (found->cores_unread)
        machine.unread.push_back({name, *found->cores_unread});
    if (found->denied)
        machine.unread.push_back({name, "dmidecode was not allowed to read the firmware's table; run it as root"});
    if (found->cut)
        machine.unread.push_back({name,
                                  "the end of dmidecode's output is missing: memory modules and processors "
                                  "cannot be counted"});
    return true;
}

bool machine_from_lscpu(std::string_view, std::string_view text, const std::string& name, Machine& machine) {
    auto found = ingest::read_lscpu(text);
    if (!found)
        return false;
    machine.cpu = std::move(found->cpu);
    machine.numa_nodes = std::move(found->numa_nodes);
    if (found->hypervisor_vendor)
        machine.os.hypervisor = hypervisor_name(*found->hypervisor_vendor);
    if (found->cores_unread)
        machine.unread.push_back({name, *found->cores_unread});
    return true;
}

bool machine_from_numactl(std::string_view, std::string_view text, const std::string&, Machine& machine) {
    machine.numa_nodes = ingest::read_numactl(text);
    return !machine.numa_nodes.empty();
}

bool machine_from_topology_matrix(std::string_view, std::string_view text, const std::string& name, Machine& machine) {
    auto found = ingest::read_topology_matrix(text);
    if (!found)
        return false;
    found->tool = name;
    if (text.size() <= kLargestMatrix)  // else it is one of many things in a long file
        found->text = text;
    machine.vendor_topology.push_back(std::move(*found));
    return true;
}

bool machine_from_rdma_state(std::string_view, std::string_view text, const std::string& name, Machine& machine) {
    if (!ingest::looks_like_rdma_state(text))
        return false;
    ingest::RdmaState found = ingest::read_rdma_state(text);
    // Lines that do not say whose facts they are tell nothing of a machine.
    std::erase_if(found.devices, [](const RdmaDevice& device) { return device.name.empty(); });
    std::erase_if(found.interfaces, [](const NetInterface& interface) { return interface.name.empty(); });
    if (found.devices.empty() && found.interfaces.empty() && found.pci_devices.empty())
        return false;
    machine.rdma_devices = std::move(found.devices);
    machine.interfaces = std::move(found.interfaces);
    machine.pci_devices = std::move(found.pci_devices);
    for (const std::string& text_of : found.disagreements)
        machine.unread.push_back({std::string(kDisagrees) + name, text_of});
    return true;
}

bool machine_from_proc(std::string_view, std::string_view text, const std::string& name, Machine& machine) {
    Answers files;
    files.only_asked = true;
    const auto add = [&](const char* path) { files.files[path] = {AnswerStatus::ok, std::string(text), ""}; };
    const bool cpus = has_line(text, "processor") && (has_line(text, "vendor_id") || has_line(text, "CPU implementer"));
    const bool memory = has_line(text, "MemTotal") && has_line(text, "MemFree");
    if (cpus)
        add("/proc/cpuinfo");
    if (memory)
        add("/proc/meminfo");
    if (cpus || memory)
        machine = probe_files(files, {"cpu", "memory", "os"}, name);
    for (const std::string_view line : ingest::text_lines(text))
        if (trim(line).starts_with("BOOT_IMAGE=") && !machine.os.command_line)
            machine.os.command_line = clean_utf8(trim(line));
    return cpus || memory || machine.os.command_line;
}

bool machine_from_smbios(std::string_view raw, std::string_view, const std::string& name, Machine& machine) {
    constexpr std::size_t kLargestTable = std::size_t{4} << 20;
    const std::string_view table = smbios_table(raw);
    if (table.size() > kLargestTable || table.find('\0') == std::string_view::npos)
        return false;
    const Smbios found = decode_smbios(table);
    if (!found.dmi.product_name && !found.dmi.bios_vendor && !found.dmi.board_name)
        return false;
    Answers files;
    files.only_asked = true;
    files.files["/sys/firmware/dmi/tables/DMI"] = {AnswerStatus::ok, std::string(table), ""};
    machine = probe_files(files, {"dmi", "cpu"}, name);
    return true;
}

}  // namespace gpuadapt

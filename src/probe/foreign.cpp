// SPDX-License-Identifier: Apache-2.0
#include "probe/from_texts.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/merge.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/foreign_input.hpp>
#include <gpuadapt/ingest/plain_text.hpp>
#include <gpuadapt/ingest/tool_errors.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/probe/probe.hpp>
#include <gpuadapt/probe/probes.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr ForeignReader kReaders[] = {
    {"lspci", {"PCI devices", "PCI 设备"}, machine_from_lspci},
    {"dmidecode", {"firmware tables", "固件信息表"}, machine_from_dmidecode, {"# dmidecode "}},
    {"lscpu", {"processors", "处理器"}, machine_from_lscpu, {"Architecture:", "架构"}},
    {"numactl -H", {"NUMA nodes", "NUMA 节点"}, machine_from_numactl, {"available: "}},
    {"nvidia-smi -q",
     {"NVIDIA GPUs", "NVIDIA GPU"},
     machine_from_nvidia_smi,
     {"==============NVSMI LOG", "<nvidia_smi_log"}},
    {"mx-smi", {"MetaX GPUs", "沐曦 GPU"}, machine_from_mx_smi},
    {"rocm-smi --json", {"AMD GPUs", "AMD GPU"}, machine_from_rocm_smi},
    {"topo -m", {"link matrix of a GPU vendor's tool", "GPU 厂商工具的链路矩阵"}, machine_from_topology_matrix},
    {"ibstat", {"RDMA devices and network ports", "RDMA 设备与网口"}, machine_from_rdma_state},
    {"/proc/cpuinfo", {"files of /proc", "/proc 下的文件"}, machine_from_proc},
    {"/sys/firmware/dmi/tables/DMI", {"binary firmware table", "二进制固件信息表"}, machine_from_smbios},
};

/// What a Root notes of a file that was not packed: as read, and as asked whether it exists.
bool is_not_packed(const std::string& reason) {
    return reason.find("not in the recording") != std::string::npos || reason == "no answer";
}

/// "/sys/bus/pci/devices" of "/sys/bus/pci/devices/0000:3a:00.0/vpd"
std::string group_of(const std::string& path) {
    constexpr int kDepth = 4;
    std::size_t end = 0;
    for (int i = 0; i < kDepth && end != std::string::npos; ++i)
        end = path.find('/', end + 1);
    return path.substr(0, end);
}

/// An archive leaves out most of what we ask for, for each CPU and device: one line for each group of them.
std::vector<Unread> group_not_packed(const std::vector<Unread>& unread, const std::string& name) {
    std::vector<Unread> kept;
    std::set<std::string> groups;
    for (const Unread& entry : unread) {
        if (is_not_packed(entry.reason))
            groups.insert(group_of(entry.path));
        else
            kept.push_back(entry);
    }
    for (const std::string& group : groups)
        kept.push_back({group, fmt::format("not all of it is in {}", name)});
    return kept;
}

/// The outputs of one tool in a text, each with what stands behind it; what stands before the first belongs to it.
std::vector<std::string_view> outputs_in(std::string_view text, const ForeignReader& reader) {
    constexpr std::size_t kMost = 64;  // what is behind them belongs to the last
    std::vector<std::string_view> outputs;
    std::size_t start = 0;
    bool begun = false;
    for (const std::string_view line : ingest::text_lines(text)) {
        const std::string_view words = trim(line);
        const bool begins = std::any_of(reader.begins.begin(), reader.begins.end(), [&](std::string_view mark) {
            return !mark.empty() && words.starts_with(mark);
        });
        const auto at = static_cast<std::size_t>(line.data() - text.data());
        if (begins && begun && outputs.size() < kMost) {
            outputs.push_back(text.substr(start, at - start));
            start = at;
        }
        begun = begun || begins;
    }
    outputs.push_back(text.substr(start));
    return outputs;
}

/// Which tool did not do its work, in its own words.
void note_tool_errors(std::string_view text, const std::string& name, Machine& machine) {
    for (const std::string& line : ingest::read_tool_errors(text))
        machine.unread.push_back({name, "a tool failed: " + line});
}

/// nullopt when nothing of a machine is in it.
std::optional<Machine> machine_of_text(const ForeignInput& input) {
    const ingest::PlainText plain = ingest::read_plain_text(input.text);
    Machine machine;
    bool found = false;
    bool found_text = false;
    for (const ForeignReader& reader : kReaders)
        for (const std::string_view output : outputs_in(plain.text, reader)) {
            Machine part;
            if (!reader.read(input.text, output, input.name, part))
                continue;
            found = true;
            found_text = found_text || reader.read != machine_from_smbios;
            for (const Difference& difference : merge(machine, part))
                note_disagreement(machine, difference.path, difference.first, difference.second);
        }
    note_tool_errors(plain.text, input.name, machine);
    if (plain.cut && found_text)
        machine.unread.push_back({input.name, "cut off: the last line has no end"});
    return found ? std::optional(std::move(machine)) : std::nullopt;
}

std::optional<Machine> machine_of(ForeignInput& input) {
    if (input.root == nullptr)
        return machine_of_text(input);
    Machine machine = probe_machine(*input.root);
    if (input.packed)
        machine.unread = group_not_packed(machine.unread, input.name);
    return machine;
}

/// A record holds what was made of a machine, and is easily taken for a recording of one.
bool is_record(const ForeignInput& input) {
    try {
        static_cast<void>(read_record(input.text, input.name));
        return true;
    } catch (const Error&) {
        return false;
    }
}

[[noreturn]] void fail_unknown(const std::string& path, const std::vector<ForeignInput>& inputs) {
    if (std::any_of(inputs.begin(), inputs.end(), is_record))
        throw input_error(Message(
            fmt::format("{0}: this is a record of gpuadapt, not a recording of a machine: 'gpuadapt report --record "
                        "{0}' takes it",
                        path),
            fmt::format("{0}：这是 gpuadapt 的记录，不是机器的录制文件：请用 gpuadapt report --record {0}", path)));
    if (inputs.empty())
        throw input_error(Message(path + ": the folder is empty", path + "：文件夹为空"));
    const bool empty =
        std::all_of(inputs.begin(), inputs.end(), [](const ForeignInput& input) { return trim(input.text).empty(); });
    if (empty)
        throw input_error(inputs.size() == 1
                              ? Message(path + ": the file is empty", path + "：文件为空")
                              : Message(path + ": all files in it are empty", path + "：其中的文件均为空"));
    for (const ForeignInput& input : inputs)
        if (const auto errors = ingest::read_tool_errors(ingest::plain_text(input.text)); !errors.empty())
            throw input_error(
                Message(fmt::format("{}: nothing of a machine was found in it: a tool failed: {}", path, errors[0]),
                        fmt::format("{}：其中没有任何机器信息：工具报错：{}", path, errors[0])));
    std::string kinds;
    for (const ForeignReader& reader : kReaders)
        kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", reader.id);
    throw input_error(Message(
        fmt::format("{}: nothing of a machine was found in {}. Looked for: a recording of gpuadapt, an archive of "
                    "hwloc-gather-topology, and the output of {}. Run 'gpuadapt record --out m.tar.gz' on the machine, "
                    "or 'lspci -D -nn -vvv' and 'dmidecode' as root",
                    path, inputs.size() == 1 ? "it" : fmt::format("any of its {} files", inputs.size()), kinds),
        fmt::format("{}：{}没有任何机器信息。可识别：gpuadapt 的记录文件、hwloc-gather-topology 的归档文件，以及 {} "
                    "的输出。请在该机器上运行 gpuadapt record --out m.tar.gz，或以 root 运行 lspci -D -nn -vvv 与 "
                    "dmidecode",
                    path, inputs.size() == 1 ? "其中" : fmt::format("其中 {} 个文件都", inputs.size()), kinds)));
}

/// Adds one source to the machine. What a recording or tree gave was read as on the machine itself, and needs no name;
/// a text that comes to it does not make less of it.
void add_source(Machine& machine, const Machine& part, const std::string& name, bool is_tree,
                std::set<std::string>& of_trees) {
    for (const std::string& field : known_parts(part)) {
        if (is_tree) {
            of_trees.insert(field);
            machine.sources.erase(field);
        }
        if (of_trees.contains(field))
            continue;
        std::string& source = machine.sources[field];
        source += source.empty() ? name : ", " + name;
    }
    const auto sources = machine.sources;
    for (const Difference& difference : merge(machine, part))
        note_disagreement(machine, difference.path, difference.first, difference.second);
    machine.sources = sources;
}

/// What follows from the facts of all sources together.
void complete(Machine& machine) {
    const auto by_address = [](const auto& a, const auto& b) { return pci_address_less(a.address, b.address); };
    std::sort(machine.pci_devices.begin(), machine.pci_devices.end(), by_address);
    Machine derived;
    derived.pci_devices = machine.pci_devices;
    Answers nothing;
    nothing.only_asked = true;
    MemoryRoot root(nothing);
    for (const Probe& probe : probes())
        if (probe.id == "gpu")
            probe.run(root, derived);
    Machine gpus;
    gpus.gpus = std::move(derived.gpus);
    static_cast<void>(merge(machine, gpus));
    std::sort(machine.gpus.begin(), machine.gpus.end(), by_address);
}

/// Why one of several files tells nothing.
void note_nothing(const ForeignInput& input, Machine& machine) {
    if (is_record(input)) {
        machine.unread.push_back({input.name, "a record of gpuadapt: 'gpuadapt report --record' takes it"});
        return;
    }
    const std::size_t before = machine.unread.size();
    note_tool_errors(ingest::plain_text(input.text), input.name, machine);
    if (machine.unread.size() == before)
        machine.unread.push_back({input.name, "nothing of a machine was found in it"});
}

/// All inputs of one path. True when one of them is about a machine.
bool add_inputs(std::vector<ForeignInput>& inputs, Machine& machine, std::set<std::string>& of_trees) {
    bool found = false;
    for (ForeignInput& input : inputs) {
        const auto part = machine_of(input);
        if (part)
            add_source(machine, *part, input.name, input.root != nullptr, of_trees);
        else
            note_nothing(input, machine);
        found = found || part;
    }
    return found;
}

bool is_whole_machine(const std::vector<ForeignInput>& inputs) {
    return inputs.size() == 1 && inputs[0].root != nullptr;
}

}  // namespace

std::span<const ForeignReader> foreign_readers() {
    return kReaders;
}

MachineReading read_machine(const std::vector<std::string>& from) {
    MachineReading reading;
    if (from.empty()) {
        reading.root = open_root();
        reading.machine = probe_machine(*reading.root);
        return reading;
    }
    std::set<std::string> of_trees;
    for (const std::string& path : from) {
        std::vector<ForeignInput> inputs = read_foreign(path);
        if (from.size() == 1 && is_whole_machine(inputs)) {
            reading.machine = *machine_of(inputs[0]);
            reading.root = std::move(inputs[0].root);
            return reading;
        }
        if (!add_inputs(inputs, reading.machine, of_trees))
            fail_unknown(path, inputs);
    }
    complete(reading.machine);
    return reading;
}

Machine machine_of_bytes(std::string bytes, const std::string& name) {
    std::vector<ForeignInput> inputs = unpack_foreign(std::move(bytes), name);
    if (is_whole_machine(inputs))
        return *machine_of(inputs[0]);
    Machine machine;
    std::set<std::string> of_trees;
    if (!add_inputs(inputs, machine, of_trees))
        fail_unknown(name, inputs);
    complete(machine);
    return machine;
}

}  // namespace gpuadapt

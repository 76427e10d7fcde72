// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// A small machine with something of each kind.
gpuadapt::MemoryRoot small_machine() {
    using gpuadapt::AnswerStatus;
    gpuadapt::Answers answers;
    const auto file = [&](const std::string& path, const std::string& text) {
        answers.files[path] = {AnswerStatus::ok, text, ""};
    };
    const auto link = [&](const std::string& path, const std::string& target) {
        answers.links[path] = {AnswerStatus::ok, target, ""};
    };
    file("/sys/devices/system/cpu/online", "0-1\n");
    file("/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0\n");
    file("/sys/devices/system/cpu/cpu0/topology/package_cpus_list", "0-1\n");
    file("/sys/devices/system/cpu/cpu1/topology/core_cpus_list", "1\n");
    file("/sys/devices/system/cpu/cpu1/topology/package_cpus_list", "0-1\n");
    file("/sys/devices/system/node/node0/cpulist", "0-1\n");
    file("/sys/bus/pci/devices/0000:01:00.0/uevent", "PCI_CLASS=30200\nPCI_ID=9999:4001\n");
    file("/sys/bus/pci/devices/0000:01:00.0/config", std::string(256, '\x10'));
    link("/sys/bus/pci/devices/0000:01:00.0", "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0");
    file("/sys/class/net/eth0/mtu", "1500\n");
    file("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
    file("/proc/meminfo", "MemTotal: 1 kB\n");
    return gpuadapt::MemoryRoot(answers);
}

}  // namespace

/// The first line is a path, the rest the contents of that file: whatever one file says, the machine is a value that
/// survives being written and read. A path that begins with '>' is a link, and the rest its target.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string path(text.substr(0, text.find('\n')));
    const std::string rest(path.size() < size ? text.substr(path.size() + 1) : "");
    gpuadapt::MemoryRoot root(small_machine().answers());
    if (path.starts_with('>') && gpuadapt::is_root_path(path.substr(1)))
        root.add_link(path.substr(1), rest);
    else if (gpuadapt::is_root_path(path))
        root.add_file(path, rest);
    else
        return 0;
    const gpuadapt::Machine machine = gpuadapt::probe_machine(root);
    if (!(gpuadapt::read_machine(gpuadapt::to_json(machine), "json") == machine))
        std::abort();
    for (const auto& entry : machine.unread)
        if (entry.path.starts_with("probe "))
            std::abort();  // an exception inside a probe
    return 0;
}

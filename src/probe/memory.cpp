// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/memory_info.hpp"
#include "probe/parse.hpp"

namespace gpuadapt {

Memory parse_meminfo(std::string_view text) {
    struct Field {
        std::string_view key;
        std::optional<std::int64_t> Memory::*field;
        bool in_kilobytes;
    };
    constexpr Field kFields[] = {
        {"MemTotal", &Memory::total_bytes, true},           {"MemAvailable", &Memory::available_bytes, true},
        {"SwapTotal", &Memory::swap_bytes, true},           {"HugePages_Total", &Memory::hugepages_total, false},
        {"HugePages_Free", &Memory::hugepages_free, false}, {"Hugepagesize", &Memory::hugepage_bytes, true},
    };
    Memory memory;
    for (const std::string_view line : split_lines(text)) {
        const auto pair = split_pair(line, ':');
        if (!pair)
            continue;
        for (const Field& field : kFields)
            if (pair->first == field.key)
                memory.*field.field = field.in_kilobytes ? parse_kilobytes(pair->second) : parse_count(pair->second);
    }
    return memory;
}

void probe_memory(Root& root, Machine& machine) {
    machine.memory = parse_meminfo(root.read("/proc/meminfo").value_or(""));
    if (const auto choice = root.read_line("/sys/kernel/mm/transparent_hugepage/enabled"))
        machine.memory.transparent_hugepages = parse_choice(*choice);
}

}  // namespace gpuadapt

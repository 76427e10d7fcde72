// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/memory_info.hpp"
#include "probe/parse.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gpuadapt {

MemoryInfo parse_meminfo(std::string_view text) {
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
    MemoryInfo info;
    for (const std::string_view line : split_lines(text)) {
        const auto pair = split_pair(line, ':');
        if (!pair)
            continue;
        for (const Field& field : kFields) {
            if (pair->first != field.key)
                continue;
            const auto value = field.in_kilobytes ? parse_kilobytes(pair->second) : parse_count(pair->second);
            info.memory.*field.field = value;
            if (!value)
                info.damaged.push_back(single_blanks(line));
        }
    }
    return info;
}

namespace {

/// Folders "hugepages-2048kB", smallest first.
std::vector<std::pair<std::int64_t, std::string>> page_folders(Root& root) {
    constexpr std::string_view kPrefix = "hugepages-";
    std::vector<std::pair<std::int64_t, std::string>> folders;
    for (std::string& name : root.list("/sys/kernel/mm/hugepages").value_or(std::vector<std::string>{})) {
        if (!name.starts_with(kPrefix) || !name.ends_with("kB"))
            continue;
        const auto digits = std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - 2);
        if (const auto bytes = parse_kilobytes(std::string(digits) + " kB"))
            folders.emplace_back(*bytes, std::move(name));
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

std::optional<std::int64_t> read_count(Root& root, const std::string& path) {
    const auto line = root.read_line(path);
    return line ? parse_count(*line) : std::nullopt;
}

void take_hugepages(Root& root, Memory& memory) {
    const auto sizes = page_folders(root);
    const auto take = [&](const std::string& place, std::optional<int> node) {
        for (const auto& [bytes, name] : sizes) {
            const std::string folder = fmt::format("{}/hugepages/{}", place, name);
            HugePages pages{bytes, node, read_count(root, folder + "/nr_hugepages"),
                            read_count(root, folder + "/free_hugepages")};
            if (pages.total || pages.free)
                memory.hugepages.push_back(pages);
        }
    };
    if (sizes.empty())
        return;
    take("/sys/kernel/mm", std::nullopt);
    const std::string nodes = "/sys/devices/system/node";
    for (const auto& [number, name] : numbered(root.list(nodes).value_or(std::vector<std::string>{}), "node"))
        take(fmt::format("{}/{}", nodes, name), number);
}

}  // namespace

void probe_memory(Root& root, Machine& machine) {
    constexpr const char* kMeminfo = "/proc/meminfo";
    MemoryInfo info = parse_meminfo(root.read(kMeminfo).value_or(""));
    machine.memory = std::move(info.memory);
    for (const std::string& line : info.damaged)
        root.note_unread(kMeminfo, fmt::format("no such amount of memory: {}", line.substr(0, 80)));
    if (const auto choice = root.read_line("/sys/kernel/mm/transparent_hugepage/enabled"))
        machine.memory.transparent_hugepages = parse_choice(*choice);
    take_hugepages(root, machine.memory);
}

}  // namespace gpuadapt

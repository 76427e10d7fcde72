// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_table.hpp"

#include "ingest/scan.hpp"
#include "ingest/smi_tree.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace gpuadapt::ingest {

namespace {

using Words = std::vector<std::string_view>;

std::vector<std::string_view> trimmed_lines(std::string_view text) {
    auto lines = text_lines(text);
    for (std::string_view& line : lines)
        line = trim(line);
    return lines;
}

/// What stands between the '|' of a framed line; empty for other lines.
Words cells_of(std::string_view line) {
    Words cells;
    if (line.size() < 2 || line.front() != '|' || line.back() != '|')
        return cells;
    line.remove_prefix(1);
    while (!line.empty()) {
        const std::size_t end = line.find('|');
        cells.push_back(trim(line.substr(0, end)));
        line.remove_prefix(std::min(line.size(), end + 1));
    }
    return cells;
}

std::optional<int> whole(std::string_view text) {
    return whole_number(text, 0, INT32_MAX);
}

/// The numbers that stand directly before `unit`: 61 and 350 of "61W / 350W".
std::vector<double> numbers_before(std::string_view text, char unit) {
    std::vector<double> numbers;
    for (std::size_t at = text.find(unit); at != std::string_view::npos; at = text.find(unit, at + 1)) {
        std::size_t first = at;
        while (first > 0 && is_digit(text[first - 1]))
            --first;
        const bool ends = at + 1 == text.size() || text[at + 1] == ' ';
        if (const auto number = number_in(text.substr(first, at - first)); number && first < at && ends)
            numbers.push_back(*number);
    }
    return numbers;
}

/// "0  NVIDIA H200   On": number, name, and whether the driver stays loaded.
void take_name(std::string_view cell, Gpu& gpu) {
    Words words = words_of(cell);
    if (words.empty())
        return;
    gpu.index = whole(words.front());
    words.erase(words.begin(), words.begin() + (gpu.index ? 1 : 0));
    if (!words.empty() && (words.back() == "On" || words.back() == "Off")) {
        gpu.persistence = words.back() == "On";
        words.pop_back();
    }
    if (words.empty() || cell.find("...") != std::string_view::npos || cell.find("ERR!") != std::string_view::npos)
        return;  // a name that was cut is none
    gpu.model = clean_utf8({words.front().data(), static_cast<std::size_t>(words.back().data() + words.back().size() -
                                                                           words.front().data())});
}

/// The line with the address. `sgpu`: the table has a column of that.
std::optional<Gpu> device_in(const Words& cells, std::string_view vendor, bool sgpu) {
    const auto with_address = std::find_if(cells.begin(), cells.end(), [](auto cell) { return pci_address_in(cell); });
    if (with_address == cells.end() || with_address == cells.begin())
        return std::nullopt;
    Gpu gpu;
    gpu.address = *pci_address_in(*with_address);
    gpu.vendor = vendor;
    take_name(cells.front(), gpu);
    const Words last = words_of(cells.back());
    if (vendor == "nvidia" && last.size() == 1 && cells.back() == "Off")
        gpu.ecc = false;
    if (vendor == "nvidia" && last.size() == 1)
        if (const auto errors = whole(last.front())) {
            gpu.ecc = true;
            gpu.ecc_uncorrected = *errors;
        }
    if (sgpu && !last.empty())
        gpu.partitioned = switch_in(last.back());
    // mx-smi from 2.2.9 has a cell of its own: "0           Off".
    if (const Words middle = words_of(cells[1]); middle.size() == 2 && (middle[1] == "On" || middle[1] == "Off"))
        if (whole(middle[0])) {
            gpu.index = whole(middle[0]);
            gpu.persistence = middle[1] == "On";
        }
    return gpu;
}

void take_readings(const Words& cells, Gpu& gpu) {
    for (const std::string_view cell : cells) {
        if (cell.find("MiB") != std::string_view::npos && cell.find('/') != std::string_view::npos) {
            const std::size_t slash = cell.find('/');
            std::string used(trim(cell.substr(0, slash)));
            used += used.ends_with("MiB") ? "" : "MiB";
            gpu.memory_used_bytes = bytes_in(used);
            gpu.memory_bytes = bytes_in(cell.substr(slash + 1));
            continue;
        }
        // "61W / 350W"; of "N/A / 350W" only the limit is known.
        const std::size_t slash = cell.find(" / ");
        if (const auto watts = numbers_before(cell.substr(0, slash), 'W'); !watts.empty())
            gpu.power_w = watts.back();
        if (slash != std::string_view::npos)
            if (const auto watts = numbers_before(cell.substr(slash), 'W'); !watts.empty())
                gpu.power_limit_w = watts.front();
        if (const auto celsius = numbers_before(cell, 'C'); !celsius.empty())
            gpu.temperature_c = celsius.front();
        constexpr std::array<std::pair<std::string_view, const char*>, 4> kModes = {
            {{"Default", "default"},
             {"E. Process", "exclusive_process"},
             {"E. Thread", "exclusive_thread"},
             {"Prohibited", "prohibited"}}};
        for (const auto& [word, mode] : kModes)
            if (cell.ends_with(word))
                gpu.compute_mode = mode;
    }
}

/// "0   N/A  N/A   1234      C   python   1000MiB" and "0   1234   python   1000".
std::optional<std::pair<int, GpuProcess>> process_in(std::string_view cell) {
    const Words words = words_of(cell);
    if (words.size() < 4 || !whole(words.front()))
        return std::nullopt;
    constexpr std::array<std::string_view, 5> kTypes = {"C", "G", "C+G", "M", "M+C"};
    std::size_t at = 1;
    for (std::size_t i = 2; i < 5 && i + 1 < words.size(); ++i)
        if (std::find(kTypes.begin(), kTypes.end(), words[i]) != kTypes.end() && whole(words[i - 1])) {
            at = i - 1;
            break;
        }
    const auto pid = whole(words[at]);
    if (!pid)
        return std::nullopt;
    const bool typed = std::find(kTypes.begin(), kTypes.end(), words[at + 1]) != kTypes.end();
    const std::size_t first = at + (typed ? 2 : 1);
    if (first + 1 >= words.size())
        return std::nullopt;
    GpuProcess process;
    process.pid = *pid;
    const std::string_view last = words[words.size() - 2];
    process.name =
        clean_utf8({words[first].data(), static_cast<std::size_t>(last.data() + last.size() - words[first].data())});
    std::string memory(words.back());
    memory += memory.ends_with("MiB") ? "" : "MiB";
    process.memory_bytes = bytes_in(memory);
    return std::pair{*whole(words.front()), process};
}

}  // namespace

bool has_smi_table(std::string_view text) {
    const auto lines = trimmed_lines(text);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
        if (lines[i].starts_with('|') && pci_address_in(lines[i]) && lines[i + 1].find("MiB") != std::string_view::npos)
            return true;
    return false;
}

std::vector<Gpu> read_smi_table(std::string_view text, std::string_view vendor) {
    std::vector<Gpu> gpus;
    const bool sgpu = text.find("sGPU-M") != std::string_view::npos;
    const auto lines = trimmed_lines(text);
    const auto cells_at = [&](std::size_t i) { return i < lines.size() ? cells_of(lines[i]) : Words{}; };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Words cells = cells_at(i);
        auto gpu = cells.size() > 1 ? device_in(cells, vendor, sgpu) : std::nullopt;
        if (!gpu)
            continue;
        take_readings(cells_at(i + 1), *gpu);
        // nvidia-smi has a third line with the MIG mode alone.
        if (const Words third = cells_at(i + 2);
            vendor == "nvidia" && third.size() == cells.size() && third.front().empty())
            gpu->partitioned = switch_in(third.back());
        gpus.push_back(std::move(*gpu));
    }
    return gpus;
}

std::map<int, std::vector<GpuProcess>> read_smi_processes(std::string_view text) {
    std::map<int, std::vector<GpuProcess>> found;
    bool begun = false;
    for (const std::string_view line : trimmed_lines(text)) {
        const Words cells = cells_of(line);
        if (cells.size() != 1)
            continue;
        begun = begun || cells.front().starts_with("Process");
        if (auto process = begun ? process_in(cells.front()) : std::nullopt)
            found[process->first].push_back(std::move(process->second));
    }
    return found;
}

void take_processes(std::map<int, std::vector<GpuProcess>>& processes, Gpu& gpu) {
    if (const auto own = gpu.index ? processes.find(*gpu.index) : processes.end(); own != processes.end()) {
        gpu.processes = std::move(own->second);
        processes.erase(own);
    }
}

std::optional<std::string> header_value(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::string_view value = text.substr(at + key.size());
    value = value.substr(0, value.find_first_of("|\r\n"));
    value = trim(value);
    value = value.substr(0, value.find(' '));
    return value.empty() || value == "N/A" ? std::nullopt : std::optional(clean_utf8(value));
}

}  // namespace gpuadapt::ingest

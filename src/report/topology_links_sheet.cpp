// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/sheet_lines.hpp"
#include "report/topology_facts.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

constexpr std::size_t kVerbatimLines = 256;

/// What an end is, beside its label: the second column is the wide one.
std::string what_is(const TopologyEnd& end) {
    return end.name.empty() ? end.address : end.name + " " + end.address;
}

void write_matrix(Lines& lines, const Topology& topology) {
    lines.title(Text{"Links", "连接矩阵"});
    Cells cells = matrix_cells(topology);
    for (std::size_t row = 0; row < cells.size(); ++row)
        cells[row].insert(cells[row].begin() + 1, row == 0 ? "" : what_is(topology.ends[row - 1]));
    for (const auto& row : cells)
        lines.values(row);
    for (const auto& [code, meaning] : class_legend(topology))
        lines.line(joined({Message::same(code), meaning}, " = "));
    for (const Message& note : topology_notes(topology))
        lines.line(note);
}

void write_table(Lines& lines, const Text& title, std::span<const Text> head, const Cells& rows) {
    if (rows.empty())
        return;
    lines.gap();
    lines.title(title);
    lines.head(head);
    for (const auto& row : rows)
        lines.values(row);
}

/// Cells that differ are bold and name ours: "NODE (DUAL)".
void write_vendor(Lines& lines, const Topology& topology, const TopologyMatrix& theirs) {
    const TopologyComparison comparison = compare_topology(topology, theirs);
    lines.gap();
    lines.title(Text{"The vendor's matrix", "厂商工具的矩阵"});
    lines.line(comparison_text(theirs, comparison));
    std::vector<std::string> head = {"", ""};
    head.insert(head.end(), theirs.names.begin(), theirs.names.end());
    lines.values(head);
    std::map<std::pair<std::string, std::string>, std::string> differs;
    for (const TopologyDifference& difference : comparison.differences) {
        differs.emplace(std::pair(difference.row, difference.column), difference.ours);
        differs.emplace(std::pair(difference.column, difference.row), difference.ours);
    }
    for (std::size_t row = 0; row < theirs.cells.size() && row < theirs.names.size(); ++row) {
        const auto device = theirs.legend.find(theirs.names[row]);
        std::vector<std::string> texts = {theirs.names[row], device == theirs.legend.end() ? "" : device->second};
        std::vector<bool> marked(2, false);
        for (std::size_t column = 0; column < theirs.cells[row].size() && column < theirs.names.size(); ++column) {
            texts.push_back(theirs.cells[row][column]);
            const auto found = differs.find({theirs.names[row], theirs.names[column]});
            marked.push_back(found != differs.end());
            if (marked.back())
                texts.back() += " (" + found->second + ")";
        }
        lines.marked(texts, marked);
    }
    std::vector<DifferenceReason> reasons;
    for (const TopologyDifference& difference : comparison.differences)
        if (std::find(reasons.begin(), reasons.end(), difference.reason) == reasons.end())
            reasons.push_back(difference.reason);
    for (const DifferenceReason reason : reasons)
        lines.line(reason_text(reason));
    std::size_t count = 0;
    std::size_t at = 0;
    for (; at < theirs.text.size() && count < kVerbatimLines; ++count) {
        const std::size_t end = std::min(theirs.text.find('\n', at), theirs.text.size());
        lines.line(Message::same(theirs.text.substr(at, end - at)));
        at = end + 1;
    }
    if (at < theirs.text.size()) {
        const auto ends = std::count(theirs.text.begin() + static_cast<std::ptrdiff_t>(at), theirs.text.end(), '\n');
        const std::size_t left = static_cast<std::size_t>(ends) + (theirs.text.ends_with('\n') ? 0 : 1);
        lines.line({fmt::format("and {}: see --json", counted(left, "more line")),
                    fmt::format("另有 {} 行：见 --json", left)});
    }
}

void write_own(Lines& lines, const Machine& machine, const Topology& topology) {
    for (const TreeLine& line : tree_lines(machine, topology))
        lines.line(joined({Message::same(line.prefix), line.text}, ""));
    lines.gap();
    if (!topology.ends.empty())
        write_matrix(lines, topology);
    write_table(lines, {"Uplinks of switches with GPUs", "带GPU的交换芯片上行口"}, kUplinkHead,
                uplink_rows(topology, lines.unread()));
    write_table(lines, {"Paths of the GPUs", "GPU路径"}, kGpuPathHead, gpu_path_rows(topology, lines.unread()));
}

}  // namespace

void write_links(Lines& lines, const Machine& machine) {
    const Topology topology = topology_of(machine);
    lines.title(Text{"Tree", "拓扑树"});
    if (machine.pci_devices.empty())
        lines.line(not_read());
    else
        write_own(lines, machine, topology);
    for (const TopologyMatrix& matrix : machine.vendor_topology)
        write_vendor(lines, topology, matrix);
}

}  // namespace gpuadapt::report

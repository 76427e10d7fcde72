// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/text_layout.hpp"
#include "report/topology_facts.hpp"

#include <gpuadapt/report/topology.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <tuple>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

void add_tree(TextLayout& layout, const Machine& machine, const Topology& topology) {
    layout.heading(layout.say(Text{"Tree", "树"}));
    for (const TreeLine& line : tree_lines(machine, topology))
        layout.line(line.prefix + layout.say(line.text), 0, display_width(line.prefix) + 2);
}

/// As many columns side by side as fit; the rest below, under their own heads. Rows may end early.
void add_cells(TextLayout& layout, const Cells& cells) {
    std::size_t label = 0, width = 0;
    for (const auto& row : cells)
        for (std::size_t i = 0; i < row.size(); ++i)
            (i == 0 ? label : width) = std::max(i == 0 ? label : width, display_width(row[i]));
    const std::size_t fit = std::max<std::size_t>(1, (layout.width() - std::min(layout.width(), label)) / (width + 2));
    for (std::size_t first = 1; first < cells.size(); first += fit) {
        if (first > 1)
            layout.gap();
        for (const auto& row : cells) {
            std::string text = pad(row[0], label);
            for (std::size_t i = first; i < std::min(first + fit, row.size()); ++i)
                text += "  " + pad(row[i], width);
            text.erase(text.find_last_not_of(' ') + 1);
            layout.line(text);
        }
    }
}

void add_matrix(TextLayout& layout, const Topology& topology) {
    if (topology.ends.size() < 2)
        return;
    layout.gap();
    layout.heading(layout.say(Text{"Links", "连接"}));
    add_cells(layout, matrix_cells(topology));
    layout.gap();
    std::size_t code = 0;
    for (const auto& [name, meaning] : class_legend(topology))
        code = std::max(code, name.size());
    for (const auto& [name, meaning] : class_legend(topology))
        layout.field(name, layout.say(meaning), code);
    std::vector<std::string> names;
    for (const auto& [name, device] : end_legend(topology))
        names.push_back(fmt::format("{} {}", name, device));
    if (!names.empty())
        layout.line(joined(names, ", "));
    for (const Message& note : topology_notes(topology))
        layout.line(layout.say(note));
}

void add_table(TextLayout& layout, const Text& title, std::span<const Text> head, Cells rows,
               const std::vector<bool>& right) {
    if (rows.empty())
        return;
    layout.gap();
    layout.heading(layout.say(title));
    std::vector<std::string> names;
    for (const Text& text : head)
        names.push_back(layout.say(text));
    rows.insert(rows.begin(), std::move(names));
    layout.table(rows, right);
}

/// Pairs that differ in the same way together.
void add_differences(TextLayout& layout, const TopologyComparison& comparison) {
    std::map<std::tuple<DifferenceReason, std::string, std::string>, std::vector<std::string>> groups;
    for (const TopologyDifference& difference : comparison.differences)
        groups[{difference.reason, difference.ours, difference.theirs}].push_back(difference.row + "-" +
                                                                                  difference.column);
    for (const auto& [key, pairs] : groups) {
        const auto& [reason, ours, theirs] = key;
        const Message text = joined({Message{fmt::format("here {}, there {}: {}", ours, theirs, joined(pairs, " ")),
                                             fmt::format("此处 {}，对方 {}：{}", ours, theirs, joined(pairs, " "))},
                                     reason_text(reason)},
                                    "; ");
        layout.line(layout.say(text), 2, 2);
    }
}

/// The vendor's matrix as its tool gave it: there is no tree to compare it with.
void add_vendor_matrix(TextLayout& layout, const TopologyMatrix& matrix) {
    layout.gap();
    layout.heading(layout.say(Text{"The vendor's matrix", "厂商工具的矩阵"}));
    const std::string tool = matrix.tool.empty() ? "?" : matrix.tool;
    if (matrix.names.empty()) {
        layout.line(layout.say(Message{tool + ": no matrix in its output", tool + "：输出中没有矩阵"}));
        return;
    }
    layout.line(tool);
    Cells cells = {{""}};
    cells[0].insert(cells[0].end(), matrix.names.begin(), matrix.names.end());
    for (std::size_t row = 0; row < matrix.names.size(); ++row) {
        auto& line = cells.emplace_back(1, matrix.names[row]);
        if (row < matrix.cells.size())
            line.insert(line.end(), matrix.cells[row].begin(), matrix.cells[row].end());
    }
    add_cells(layout, cells);
    std::vector<std::string> names;
    for (const auto& [name, device] : matrix.legend)
        names.push_back(fmt::format("{} {}", name, device));
    if (!names.empty())
        layout.line(joined(names, ", "));
}

}  // namespace

std::string topology_text(const Machine& machine, const TextStyle& style) {
    TextLayout layout(style);
    if (machine.pci_devices.empty()) {
        layout.line(layout.say(Message{"PCI devices were not read: no topology.", "未读到PCI设备：没有拓扑。"}));
        for (const TopologyMatrix& matrix : machine.vendor_topology)
            add_vendor_matrix(layout, matrix);
        return layout.take();
    }
    const Topology topology = topology_of(machine);
    const std::string unread = layout.say(not_read());
    add_tree(layout, machine, topology);
    add_matrix(layout, topology);
    add_table(layout, {"Uplinks of switches with GPUs", "带GPU的交换芯片上行口"}, kUplinkHead,
              uplink_rows(topology, unread), {false, false, true, true, true});
    add_table(layout, {"Paths of the GPUs", "GPU路径"}, kGpuPathHead, gpu_path_rows(topology, unread),
              {false, false, true, false});
    for (const TopologyMatrix& matrix : machine.vendor_topology) {
        const TopologyComparison comparison = compare_topology(topology, matrix);
        layout.gap();
        layout.heading(layout.say(Text{"The vendor's matrix", "厂商工具的矩阵"}));
        layout.line(layout.say(comparison_text(matrix, comparison)));
        add_differences(layout, comparison);
    }
    return layout.take();
}

}  // namespace gpuadapt::report

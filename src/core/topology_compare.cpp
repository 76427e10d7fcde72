// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/topology.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gpuadapt {
namespace {

/// A cell of a vendor's matrix. `any_pcie`: rocm-smi knows one PCIe class only.
struct Cell {
    LinkClass kind = LinkClass::unknown;
    std::optional<int> links;
    bool any_pcie = false;
};

/// nullopt for what says nothing about the way: NA, weights, Ethernet.
std::optional<Cell> read_cell(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, LinkClass>, 8> kCodes = {{{"PIX", LinkClass::pix},
                                                                                      {"PXB", LinkClass::pxb},
                                                                                      {"PHB", LinkClass::phb},
                                                                                      {"NODE", LinkClass::node},
                                                                                      {"SYS", LinkClass::sys},
                                                                                      {"SOC", LinkClass::sys},
                                                                                      {"MX", LinkClass::metaxlink},
                                                                                      {"XGMI", LinkClass::xgmi}}};
    for (const auto& [code, kind] : kCodes)
        if (text == code)
            return Cell{kind, std::nullopt, false};
    if (text == "PCIE")
        return Cell{LinkClass::unknown, std::nullopt, true};
    if (text.size() > 2 && (text.starts_with("NV") || text.starts_with("MX")))
        if (const auto count = parse_integer(text.substr(2)); count && *count > 0 && *count < 1000)
            return Cell{text[0] == 'N' ? LinkClass::nvlink : LinkClass::metaxlink, static_cast<int>(*count), false};
    return std::nullopt;
}

std::optional<DifferenceReason> difference(const Topology& topology, const PairLink& ours, const Cell& theirs) {
    if (theirs.any_pcie ? ours.kind >= LinkClass::pix && ours.kind <= LinkClass::sys
                        : ours.kind == theirs.kind && (!ours.links || !theirs.links || *ours.links == *theirs.links))
        return std::nullopt;
    if (is_direct(theirs.kind) && !is_direct(ours.kind) && !topology.direct_links_read)
        return DifferenceReason::links_not_read;
    if (ours.kind == LinkClass::unknown)
        return DifferenceReason::not_told;
    const bool as_the_tree = theirs.kind == ours.pcie || ours.pcie == LinkClass::unknown;
    if (ours.kind == LinkClass::dual && as_the_tree && theirs.kind > LinkClass::dual)
        return DifferenceReason::dual_uplink;
    return DifferenceReason::contradiction;
}

std::string_view cell(const TopologyMatrix& matrix, std::size_t row, std::size_t column) {
    if (row < matrix.cells.size() && column < matrix.cells[row].size())
        return matrix.cells[row][column];
    return {};
}

}  // namespace

std::optional<std::size_t> find_end(const Topology& ours, const TopologyMatrix& theirs, std::string_view name) {
    const auto legend = theirs.legend.find(std::string(name));
    const std::string_view device = legend != theirs.legend.end() ? std::string_view(legend->second) : name;
    for (std::size_t i = 0; i < ours.ends.size(); ++i)
        if (i < ours.gpu_count ? ours.ends[i].label == name : ours.ends[i].name == device)
            return i;
    return std::nullopt;
}

TopologyComparison compare_topology(const Topology& ours, const TopologyMatrix& theirs) {
    TopologyComparison result;
    std::vector<std::optional<std::size_t>> ends;
    for (const std::string& name : theirs.names) {
        ends.push_back(find_end(ours, theirs, name));
        if (!ends.back())
            result.unmatched.push_back(name);
    }
    for (std::size_t row = 0; row < ends.size(); ++row)
        for (std::size_t column = row + 1; column < ends.size(); ++column) {
            if (!ends[row] || !ends[column] || *ends[row] == *ends[column])
                continue;
            auto text = cell(theirs, row, column);
            if (text.empty())
                text = cell(theirs, column, row);
            const auto known = read_cell(text);
            if (!known)
                continue;
            ++result.compared;
            const PairLink& link = ours.links[*ends[row]][*ends[column]];
            if (const auto reason = difference(ours, link, *known))
                result.differences.push_back(
                    {theirs.names[row], theirs.names[column], link_code(link), std::string(text), *reason});
        }
    return result;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/topology_facts.hpp"
#include "report/xml.hpp"

#include <gpuadapt/report/topology.hpp>

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

// All lengths in pixels.
constexpr int kMargin = 24;
constexpr int kTitle = 56;
constexpr int kPad = 12;      ///< inside packages and NUMA nodes
constexpr int kHead = 24;     ///< their title line
constexpr int kRow = 48;      ///< a device and the space below it
constexpr int kBox = 38;      ///< height of a box
constexpr int kColumn = 106;  ///< between boxes, for lines and their labels
constexpr int kPortWidth = 132;
constexpr int kDeviceWidth = 268;  ///< at least; longer names widen all of them, up to
constexpr int kMostDeviceWidth = 560;
constexpr int kIsland = 26;  ///< between the lines that join GPUs
constexpr int kLegend = 36;
constexpr int kLetter = 8;  ///< a column of text, on average

constexpr std::string_view kFont = "Helvetica, Arial, 'DejaVu Sans', 'Noto Sans CJK SC', 'Microsoft YaHei', sans-serif";
constexpr std::string_view kInk = "#1f2933";
constexpr std::string_view kGrey = "#52606d";
constexpr std::string_view kLine = "#7b8794";

struct Look {
    std::string_view fill, border;
};

Look look_of(TopologyKind kind) {
    switch (kind) {
        case TopologyKind::gpu:
            return {"#e3f2e1", "#4b8b3b"};
        case TopologyKind::nic:
            return {"#e1ecf7", "#3b6ea5"};
        case TopologyKind::nvme:
            return {"#f5f0e1", "#a08440"};
        case TopologyKind::bridge:
            return {"#ffffff", "#52606d"};
        case TopologyKind::machine:
        case TopologyKind::package:
        case TopologyKind::numa:
        case TopologyKind::root_complex:
            break;
    }
    return {"#eef1f4", "#9aa5b1"};
}

/// Cut to `columns`, with an ellipsis where something is missing.
std::string fitted(const std::string& text, std::size_t columns) {
    if (display_width(text) <= columns)
        return text;
    std::size_t width = 1;  // of the ellipsis
    std::size_t end = 0;
    while (end < text.size()) {
        std::size_t next = end + 1;
        while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80)
            ++next;
        width += display_width(std::string_view(text).substr(end, next - end));
        if (width > columns)
            break;
        end = next;
    }
    return text.substr(0, end) + "…";
}

double thickness(const std::optional<int>& lanes) {
    return !lanes || *lanes <= 1 ? 1 : *lanes <= 2 ? 1.5 : *lanes <= 4 ? 2 : *lanes <= 8 ? 3.5 : 6;
}

class Picture {
  public:
    Picture(const Machine& machine, Lang lang) : machine_(machine), topology_(topology_of(machine)), lang_(lang) {
        for (std::size_t i = 0; i < topology_.nodes.size(); ++i)
            if (topology_.nodes[i].kind == TopologyKind::bridge)
                deepest_ = std::max(deepest_, depth_of(i));
        for (std::size_t i = 0; i < topology_.nodes.size(); ++i)
            widen(i);
    }

    std::string draw() {
        int y = kTitle;
        for (const auto& group : folded_children(machine_, topology_, 0))
            y = place(group, y, 0) + kPad;
        islands();
        chips();
        const int width = device_x() + device_width_ + kPad + static_cast<int>(lanes_.size() + 1) * kIsland + kMargin +
                          (lanes_.empty() ? 0 : 90);
        legend(y + kPad);
        const int height = y + kPad + kLegend + 14 * static_cast<int>(chip_notes(topology_).size());
        std::string svg = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" font-family=\"{2}\" font-size=\"12\">\n",
            width, height, kFont);
        svg += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width, height);
        svg += title();
        return svg + areas_ + lines_ + boxes_ + "</svg>\n";
    }

  private:
    [[nodiscard]] std::string say(const Message& message) const { return message.get(lang_); }

    /// The longest name decides, with room for "16 × " of folded ones.
    void widen(std::size_t index) {
        const TopologyKind kind = topology_.nodes[index].kind;
        if (kind != TopologyKind::gpu && kind != TopologyKind::nic && kind != TopologyKind::nvme)
            return;
        const std::size_t columns = display_width(device_title(machine_, topology_, index)) + 5;
        const int wanted = static_cast<int>(std::min<std::size_t>(columns, kMostDeviceWidth)) * kLetter + 16;
        device_width_ = std::clamp(wanted, device_width_, kMostDeviceWidth);
    }

    [[nodiscard]] int depth_of(std::size_t node) const {
        int depth = 0;
        for (std::optional<std::size_t> at = node; at; at = topology_.nodes[*at].parent)
            if (topology_.nodes[*at].kind == TopologyKind::bridge)
                ++depth;
        return depth;
    }
    /// Left edge of root complexes (0), switches (1 ...).
    [[nodiscard]] static int column_x(int depth) { return kMargin + 2 * kPad + depth * (kPortWidth + kColumn); }
    [[nodiscard]] int device_x() const { return column_x(deepest_ + 1); }

    static std::string text(int x, int y, std::string_view what, std::string_view extra = "") {
        return fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y, kInk, extra, xml_escaped(what));
    }
    static std::string small(int x, int y, std::string_view what, std::string_view extra = "") {
        return fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\" font-size=\"10\"{}>{}</text>\n", x, y, kGrey, extra,
                           xml_escaped(what));
    }
    static std::string box(int x, int y, int width, int height, const Look& look, std::string_view extra = "") {
        return fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" stroke=\"{}\"{}/>\n", x, y, width,
            height, look.fill, look.border, extra);
    }

    [[nodiscard]] std::string title() const {
        std::vector<std::string> words;
        for (const auto& word :
             {machine_.os.hostname, filled(machine_.dmi.system_vendor), filled(machine_.dmi.product_name)})
            if (word)
                words.push_back(*word);
        std::string out = fmt::format("<title>{}</title>\n", xml_escaped(joined(words, " ")));
        out += text(kMargin, 26, joined(words, " "), " font-size=\"16\" font-weight=\"bold\"");
        if (const auto summary = topology_in_short(machine_, topology_))
            out += small(kMargin, 44, say(*summary), " font-weight=\"bold\"");
        return out;
    }

    /// Draws a node and what is below it from `y` down; gives the y where it ends. `level`: areas around it.
    int place(const std::vector<std::size_t>& group, int y, int level) {
        const TopologyNode& node = topology_.nodes[group.front()];
        const bool area = node.kind == TopologyKind::package || node.kind == TopologyKind::numa;
        return area ? place_area(group.front(), y, level) : place_box(group, y);
    }

    int place_area(std::size_t index, int y, int level) {
        const std::size_t at = areas_.size();
        int end = y + kHead;
        for (const auto& child : folded_children(machine_, topology_, index))
            end = place(child, end, level + 1) + (topology_.nodes[child.front()].kind == TopologyKind::numa ? kPad : 0);
        const int x = kMargin + level * kPad;
        const int width = device_x() + device_width_ + kPad - x - level * kPad / 2;
        const Look look = level == 0 ? Look{"#f7f8fa", "#cbd2d9"} : Look{"#ffffff", "#cbd2d9"};
        const std::string head = say(node_text(machine_, topology_, index));
        areas_.insert(at, box(x, y, width, end - y, look) +
                              text(x + kPad, y + 16, fitted(head, static_cast<std::size_t>(width / kLetter)),
                                   " font-weight=\"bold\""));
        return end;
    }

    int place_box(const std::vector<std::size_t>& group, int y) {
        const std::size_t index = group.front();
        const TopologyNode& node = topology_.nodes[index];
        const bool port = node.kind == TopologyKind::bridge || node.kind == TopologyKind::root_complex;
        const int x = port ? column_x(depth_of(index)) : device_x();
        int end = y;
        std::vector<std::pair<std::size_t, int>> below;
        for (const auto& child : folded_children(machine_, topology_, index)) {
            end = place_box(child, end);
            below.emplace_back(child.front(), middle_[child.front()]);
        }
        end = std::max(end, y + kRow);
        const int middle = below.empty() ? y + kRow / 2 : (below.front().second + below.back().second) / 2;
        middle_[index] = middle;
        port ? draw_port(index, x, middle) : draw_device(group, x, middle);
        for (const auto& [child, child_middle] : below)
            draw_link(child, x + kPortWidth, middle, child_middle);
        return end;
    }

    void draw_port(std::size_t index, int x, int middle) {
        const TopologyNode& node = topology_.nodes[index];
        const auto chip = chip_of(topology_, index);
        const bool bridge = node.kind == TopologyKind::bridge;
        Message name = bridge ? Message{"switch", "交换芯片"} : Message{"root complex", "根复合体"};
        if (chip)
            name = {fmt::format("uplink of chip {}", *chip), fmt::format("芯片{}的上行口", *chip)};
        boxes_ += box(x, middle - kBox / 2, kPortWidth, kBox, look_of(node.kind),
                      chip ? " stroke-width=\"2\" stroke-dasharray=\"6 3\"" : "");
        boxes_ += text(x + 8, middle - 3, say(name)) + small(x + 8, middle + 12, node.address);
    }

    void draw_device(const std::vector<std::size_t>& group, int x, int middle) {
        const TopologyNode& node = topology_.nodes[group.front()];
        std::string name = device_title(machine_, topology_, group.front());
        std::string where = node.address;
        if (group.size() > 1) {
            name = fmt::format("{} × {}", group.size(), name);
            where += " … " + topology_.nodes[group.back()].address;
        }
        if (const auto& slot = machine_.pci_devices[*node.device].slot)
            where += say({", slot " + *slot, "，槽位 " + *slot});
        const auto columns = static_cast<std::size_t>((device_width_ - 16) / kLetter);
        boxes_ += box(x, middle - kBox / 2, device_width_, kBox, look_of(node.kind));
        boxes_ += text(x + 8, middle - 3, fitted(name, columns));
        boxes_ += small(x + 8, middle + 12, fitted(where, columns + 6));
    }

    void draw_link(std::size_t child, int from_x, int from_y, int to_y) {
        const TopologyNode& node = topology_.nodes[child];
        const PciDevice& device = machine_.pci_devices[*node.device];
        const int to_x = node.kind == TopologyKind::bridge ? column_x(depth_of(child)) : device_x();
        const int turn = from_x + 20;
        lines_ += fmt::format("<path d=\"M{} {} H{} V{} H{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n",
                              from_x, from_y, turn, to_y, to_x, kLine, thickness(device.link.current_width));
        PciLink now, best;  // each alone: what it runs at above the line, what it could below
        now.current_gt_s = device.link.current_gt_s;
        now.current_width = device.link.current_width;
        best.current_gt_s = device.link.capable_gt_s;
        best.current_width = device.link.capable_width;
        const auto text = link_text(now), could = link_text(best);
        if (text || !node.port.empty())
            lines_ += small(turn + 6, to_y - 6, say(text.value_or(not_read())));
        if (text && could && link_text(device.link) != text)
            lines_ += small(turn + 6, to_y + 14, say({"of " + could->en, "能力 " + could->zh}));
    }

    /// GPUs that reach each other directly, joined at their right edges.
    void islands() {
        for (const std::vector<std::size_t>& island : direct_islands(topology_)) {
            std::vector<int> rows;
            for (const std::size_t end : island)
                if (topology_.ends[end].node)
                    rows.push_back(middle_[*topology_.ends[end].node]);
            if (rows.empty())
                continue;
            const int first = *std::min_element(rows.begin(), rows.end());
            const int last = *std::max_element(rows.begin(), rows.end());
            const int right = device_x() + device_width_;
            const int x = right + kPad + kIsland * free_lane(first, last);
            for (const int y : rows)
                lines_ += fmt::format("<path d=\"M{} {} H{}\" stroke=\"#4b8b3b\" stroke-width=\"3\"/>\n", right, y, x);
            lines_ += fmt::format("<path d=\"M{} {} V{}\" stroke=\"#4b8b3b\" stroke-width=\"3\"/>\n", x, first, last);
            const PairLink& link = island_link(topology_, island);
            lines_ += text(x + 8, (first + last) / 2 - 2, direct_link_name(link.kind));
            lines_ += small(x + 8, (first + last) / 2 + 12, fmt::format("{} GPU, {}", island.size(), link_code(link)));
        }
    }

    /// The uplinks of one chip, joined by a dashed line that passes behind other boxes.
    void chips() {
        for (std::size_t i = 0; i < topology_.chips.size(); ++i) {
            const auto& bridges = topology_.chips[i].bridges;
            for (std::size_t k = 1; k < bridges.size(); ++k) {
                const int place = kPortWidth / 2 + 8 * static_cast<int>(i % 6);
                lines_ += fmt::format(
                    "<path d=\"M{} {} L{} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
                    "stroke-dasharray=\"6 3\"/>\n",
                    column_x(depth_of(bridges[k - 1])) + place, middle_[bridges[k - 1]],
                    column_x(depth_of(bridges[k])) + place, middle_[bridges[k]], kGrey);
            }
        }
    }

    /// The first of the lanes beside the devices where nothing is drawn between these rows, from 1.
    int free_lane(int first, int last) {
        std::size_t lane = 0;
        while (lane < lanes_.size() && lanes_[lane] >= first)
            ++lane;
        if (lane == lanes_.size())
            lanes_.push_back(last);
        lanes_[lane] = std::max(lanes_[lane], last);
        return static_cast<int>(lane) + 1;
    }

    void legend(int y) {
        int x = kMargin;
        for (const auto& [lanes, name] : {std::pair(16, "x16"), {8, "x8"}, {4, "x4"}, {1, "x1"}}) {
            boxes_ += fmt::format("<path d=\"M{} {} h36\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n", x, y + 10, kLine,
                                  thickness(lanes));
            boxes_ += small(x + 42, y + 14, name);
            x += 78;
        }
        for (const auto& [kind, name] :
             {std::pair(TopologyKind::gpu, "GPU"), {TopologyKind::nic, "NIC"}, {TopologyKind::nvme, "NVMe"}}) {
            boxes_ += box(x, y + 3, 24, 14, look_of(kind));
            boxes_ += small(x + 30, y + 14, name);
            x += 78;
        }
        int row = y + 34;
        for (const Message& note : chip_notes(topology_)) {
            boxes_ += small(kMargin, row, say(note));
            row += 14;
        }
    }

    const Machine& machine_;
    Topology topology_;
    Lang lang_;
    int deepest_ = 0;
    int device_width_ = kDeviceWidth;
    std::vector<int> lanes_;             ///< the lowest row that is drawn in each, of direct links
    std::map<std::size_t, int> middle_;  ///< y of the middle of each box
    std::string areas_, lines_, boxes_;  ///< in the order in which they cover each other
};

}  // namespace

bool has_picture(const Machine& machine) {
    const Topology topology = topology_of(machine);
    return std::any_of(topology.nodes.begin(), topology.nodes.end(),
                       [](const TopologyNode& node) { return node.device.has_value(); });
}

std::string topology_svg(const Machine& machine, Lang lang) {
    return Picture(machine, lang).draw();
}

}  // namespace gpuadapt::report

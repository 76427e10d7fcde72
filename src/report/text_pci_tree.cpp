// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/text_layout.hpp"

#include <gpuadapt/report/text.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

constexpr int kDeepest = 16;

/// GPUs and other displays, network, NVMe, accelerators.
bool of_interest(const PciDevice& device, const Machine& machine) {
    for (const Gpu& gpu : machine.gpus)
        if (gpu.address == device.address)
            return true;
    if (!device.class_code)  // a kernel log tells of a device whose link is slow, and not what it is
        return device.port_type.value_or("endpoint").ends_with("endpoint") && link_text(device.link);
    const int base = *device.class_code >> 16;
    const int sub = *device.class_code >> 8;
    return base == 0x02 || base == 0x03 || base == 0x12 || sub == 0x0108 || sub == 0x0b40;
}

/// Parents of each device of interest that are known, so that only the branches that lead somewhere are drawn.
class Tree {
  public:
    explicit Tree(const Machine& machine) : machine_(machine) {
        for (const PciDevice& device : machine.pci_devices)
            if (of_interest(device, machine))
                add(device);
    }

    [[nodiscard]] std::string draw(const TextStyle& style) const {
        TextLayout layout(style);
        draw_below(layout, "", 0);
        return layout.take();
    }

    [[nodiscard]] std::set<const PciDevice*> drawn() const {
        std::set<const PciDevice*> drawn;
        for (const auto& [parent, children] : children_)
            drawn.insert(children.begin(), children.end());
        return drawn;
    }

  private:
    void add(const PciDevice& device) {
        const PciDevice* at = &device;
        for (int depth = 0; depth < kDeepest; ++depth) {
            const PciDevice* parent = at->parent ? find_device(machine_, *at->parent) : nullptr;
            std::vector<const PciDevice*>& siblings = children_[parent ? parent->address : ""];
            if (std::find(siblings.begin(), siblings.end(), at) != siblings.end())
                return;
            siblings.push_back(at);
            if (!parent)
                return;
            at = parent;
        }
    }

    [[nodiscard]] std::string text_of(const PciDevice& device, const TextLayout& layout) const {
        std::string text = device_name(device);
        for (const Gpu& gpu : machine_.gpus)
            if (gpu.address == device.address)
                text = gpu_name(machine_, gpu);
        if (is_bridge(device))
            text = device.port_type.value_or("bridge");
        const auto link = link_text(device.link);
        if (link)
            text += ", " + layout.say(*link);
        else if (device.port_type && !is_bridge(device))
            text += ", " + layout.say(link_not_read());
        return text;
    }

    [[nodiscard]] bool is_leaf(const PciDevice& device) const { return children_.count(device.address) == 0; }

    void draw_below(TextLayout& layout, const std::string& parent, int depth) const {
        const auto found = children_.find(parent);
        if (found == children_.end() || depth > kDeepest)
            return;
        std::vector<const PciDevice*> siblings = found->second;
        std::sort(siblings.begin(), siblings.end(),
                  [](const PciDevice* a, const PciDevice* b) { return a->address < b->address; });
        const std::size_t indent = 2 + 2 * static_cast<std::size_t>(depth);
        for (std::size_t i = 0; i < siblings.size();) {
            const std::string text = text_of(*siblings[i], layout);
            std::size_t end = i + 1;
            while (is_leaf(*siblings[i]) && end < siblings.size() && is_leaf(*siblings[end]) &&
                   text_of(*siblings[end], layout) == text)
                ++end;
            if (end - i > 1)
                layout.line(
                    fmt::format("{} .. {}: {} x {}", siblings[i]->address, siblings[end - 1]->address, end - i, text),
                    indent, 4);
            else
                // What has no name is named by its address.
                layout.line(
                    text.starts_with(siblings[i]->address) ? text : fmt::format("{} {}", siblings[i]->address, text),
                    indent, 4);
            if (end - i == 1)
                draw_below(layout, siblings[i]->address, depth + 1);
            i = end;
        }
    }

    const Machine& machine_;
    std::map<std::string, std::vector<const PciDevice*>> children_;
};

}  // namespace

std::string pci_tree(const Machine& machine, const TextStyle& style) {
    return Tree(machine).draw(style);
}

std::optional<Message> other_pci_devices(const Machine& machine) {
    constexpr std::size_t kMostKinds = 4;
    const std::set<const PciDevice*> drawn = Tree(machine).drawn();
    std::map<std::string, std::size_t> kinds;
    std::size_t unnamed = 0, count = 0;
    for (const PciDevice& device : machine.pci_devices) {
        if (drawn.contains(&device))
            continue;
        ++count;
        if (device.class_name)
            ++kinds[*device.class_name];
        else
            ++unnamed;
    }
    if (count == 0)
        return std::nullopt;
    std::vector<std::pair<std::size_t, std::string>> order;
    order.reserve(kinds.size());
    for (const auto& [kind, number] : kinds)
        order.emplace_back(number, kind);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::size_t rest = unnamed;
    std::string list;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (i < kMostKinds)
            list += fmt::format("{}{} x {}", i == 0 ? "" : ", ", order[i].first, order[i].second);
        else
            rest += order[i].first;
    const std::size_t all = machine.pci_devices.size();
    const std::string others = list.empty() || rest == 0 ? "" : fmt::format(", {} x other", rest);
    const std::string chinese = list.empty() || rest == 0 ? "" : fmt::format("，其他 {} 个", rest);
    const std::string colon = list.empty() ? "" : ": ";
    return Message(fmt::format("and {} not drawn{}{}{} (--json lists all {})", counted(count, "PCI function"), colon,
                               list, others, all),
                   fmt::format("另有 {} 个PCI功能未画出{}{}{}（--json 列出全部 {} 个）", count,
                               list.empty() ? "" : "：", list, chinese, all));
}

}  // namespace gpuadapt::report

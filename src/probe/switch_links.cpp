// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

/// /sys/kernel/pci_switch_link/virtual_switch_links of the kernel module switch_discovery: a folder an upstream port,
/// in it a link to each upstream port of the same chip.
namespace gpuadapt {

void probe_switch_links(Root& root, Machine& machine) {
    const std::string folder = "/sys/kernel/pci_switch_link/virtual_switch_links";
    std::set<std::vector<std::string>> groups;
    for (const std::string& port : root.list(folder).value_or(std::vector<std::string>{})) {
        if (!is_pci_address(port))
            continue;
        std::vector<std::string> group = {port};
        for (const std::string& peer :
             root.list(fmt::format("{}/{}", folder, port)).value_or(std::vector<std::string>{}))
            if (is_pci_address(peer) && peer != port)
                group.push_back(peer);
        std::sort(group.begin(), group.end());
        if (group.size() > 1)
            groups.insert(std::move(group));
    }
    machine.switch_links.assign(groups.begin(), groups.end());
}

}  // namespace gpuadapt

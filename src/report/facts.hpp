// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/table.hpp>
#include <gpuadapt/core/text.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

/// What sheets and terminal views both want to know about a Machine or a Table, put in few words.
namespace gpuadapt::report {

/// "not read": the value exists, but could not be seen. Never to be taken for "off" or "none".
[[nodiscard]] Message not_read();
[[nodiscard]] Message link_not_read();

/// The PCI devices, the network interfaces are those of the whole machine, so that what is not among them is not there.
/// False where none were read, and of texts, which may be excerpts: those name their file in Machine::sources.
[[nodiscard]] bool has_all_pci_devices(const Machine& machine);
[[nodiscard]] bool has_all_interfaces(const Machine& machine);
/// "no GPU"; nullopt where there may be some that were not seen.
[[nodiscard]] std::optional<Message> no_gpu(const Machine& machine);
/// What stands where there are no physical interfaces to be listed.
[[nodiscard]] Message no_interface(const Machine& machine);

[[nodiscard]] Message joined(const std::vector<Message>& parts, const std::string& separator);
[[nodiscard]] std::string joined(const std::vector<std::string>& parts, const std::string& separator);

/// "1 chip", "2 chips". The number is shown as it is, with its sign.
[[nodiscard]] std::string counted(std::integral auto count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Equal texts once, with their number: "8 x MetaX C500, 2 x ...". In the order of first appearance.
[[nodiscard]] std::string folded(const std::vector<std::string>& items);

/// Empty when the table has no such label.
[[nodiscard]] std::string label_of(const Table& table, const std::string& name);

/// What is not `ok`.
[[nodiscard]] std::vector<const Finding*> worst_first(const std::vector<Finding>& findings);

/// "failure", "故障"
[[nodiscard]] Text severity_text(Severity severity);

/// nullopt for absent values and for what firmware writes where nobody filled anything in ("To be filled by O.E.M.").
[[nodiscard]] std::optional<std::string> filled(const std::optional<std::string>& value);
[[nodiscard]] bool is_firmware_filler(std::string_view value);

/// 32.0 -> 5 (PCIe generation); nullopt for other rates.
[[nodiscard]] std::optional<int> pcie_generation(double gt_s);
/// "Gen5 x16", with the capable link behind it when it is better: "Gen4 x8 (of Gen5 x16)". nullopt when not read.
[[nodiscard]] std::optional<Message> link_text(const PciLink& link);

[[nodiscard]] bool is_bridge(const PciDevice& device);
[[nodiscard]] bool is_network(const PciDevice& device);
[[nodiscard]] const PciDevice* find_device(const Machine& machine, std::string_view address);
/// "Mellanox Technologies MT2910 Family [ConnectX-7]", by what is known of it.
[[nodiscard]] std::string device_name(const PciDevice& device);
[[nodiscard]] std::string gpu_name(const Machine& machine, const Gpu& gpu);

/// GPUs as PCI devices, network controllers: the ends whose links matter.
[[nodiscard]] std::vector<const PciDevice*> gpu_devices(const Machine& machine);
[[nodiscard]] std::vector<const PciDevice*> network_devices(const Machine& machine);

}  // namespace gpuadapt::report

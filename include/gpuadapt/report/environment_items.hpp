// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::report {

/// A line of the form: how form.json and JSON output name it, and how the sheet does.
struct FormItem {
    std::string_view key;
    Text label;
};

/// The guide's 19 items of the sheet 环境信息, in its order.
inline constexpr std::array<FormItem, 19> kEnvironmentItems{{
    {"server_ip", {"Server IP", "服务器IP"}},
    {"server_model", {"Server model", "服务器型号"}},
    {"bios_version", {"Server BIOS version", "服务器bios版本"}},
    {"performance_mode", {"Performance mode", "性能模式"}},
    {"cpu_model", {"CPU model", "CPU型号"}},
    {"pcie_gen", {"PCIe Gen", "PCIe Gen"}},
    {"pcie_max_payload", {"PCIe MaxPayload", "PCIe MaxPayload"}},
    {"pcie_acs", {"PCIe ACS", "PCIe ACS"}},
    {"nic_model", {"NIC model", "网卡型号"}},
    {"nic_count", {"NIC count", "网卡数量"}},
    {"nic_bandwidth", {"NIC bandwidth", "网卡带宽"}},
    {"network_protocol", {"Network protocol (IB/RoCE)", "网络协议(IB/RoCE)"}},
    {"gpu_model", {"GPU model", "GPU型号"}},
    {"gpu_topology", {"GPU topology", "GPU拓扑"}},
    {"os", {"OS", "OS"}},
    {"os_kernel", {"OS kernel", "OS kernel"}},
    {"sw_version", {"SW Version", "SW Version"}},
    {"vbios", {"vbios", "vbios"}},
    {"communication_setup", {"Collective library test setup", "通信库测试配置"}},
}};

/// The lines for signing, below the table.
inline constexpr std::array<FormItem, 4> kSignatureItems{{
    {"customer", {"Customer", "客户"}},
    {"tester", {"Tester", "测试人"}},
    {"reviewer", {"Reviewer", "审核"}},
    {"date", {"Date", "日期"}},
}};

/// "server_ip, ..., date": the keys of all items; `named` puts the guide's name behind each, "server_ip (服务器IP)".
[[nodiscard]] std::string form_keys(bool named);

/// What a person writes into the form instead of what was read.
struct FormOverrides {
    std::map<std::string, std::string> values;  ///< by the item's `key`

    /// A JSON object of strings; keys are an item's `key` or its label in either language. Throws Error(input) that
    /// names `file_name` and the key when a key is unknown or given twice, or when a value is no string.
    [[nodiscard]] static FormOverrides parse(std::string_view json, const std::string& file_name);
};

struct FilledItem {
    std::string_view key;
    Message label;
    Message value;        ///< may have several lines; never empty for the 19 items
    bool manual = false;  ///< from the form; `value` then ends in the mark （手工）
    bool known = true;    ///< false: `value` says that nothing could be read
};

/// What the header of a log tells of the machine it was measured on, by the item's `key`: GPU model, versions, options.
using LogItems = std::map<std::string, Message, std::less<>>;
/// Of a table of ingest; empty for any other.
[[nodiscard]] LogItems log_items(const Table& table);

/// The 19 items, in order. With several hosts a common value stands once and each deviation by host; the libraries'
/// setup is what was typed, what else counts on the hosts (configuration files), and the start command. What no machine
/// tells is taken from `log`. What could not be read says so and never looks like "off" or "none". No machine and no
/// log: all items say that the log does not tell.
[[nodiscard]] std::vector<FilledItem> environment_items(const std::vector<HostMachine>& machines,
                                                        const std::optional<Launch>& launch,
                                                        const FormOverrides& form = {}, const LogItems& log = {});

/// The four lines for signing; `value` is empty (for the pen) unless the form gives one. `date` defaults to the day
/// of `started` ("2026-11-30T12:00:00Z").
[[nodiscard]] std::vector<FilledItem> signature_items(const FormOverrides& form, const std::string& started);

}  // namespace gpuadapt::report

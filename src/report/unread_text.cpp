// SPDX-License-Identifier: Apache-2.0
#include "report/unread_text.hpp"

#include <gpuadapt/core/wording.hpp>

#include <regex>

namespace gpuadapt::report {
namespace {

constexpr Wording kReasons[] = {
    {"permission denied", nullptr, "权限不足"},
    {"not in the recording", nullptr, "录制文件中没有"},
    {"no answer after ([0-9]+) ms", nullptr, "$1 ms 内无响应"},
    {"no answer", nullptr, "无响应"},
    {"larger than ([0-9]+) bytes", nullptr, "超过 $1 字节"},
    {"not a plain file", nullptr, "不是普通文件"},
    {"which file that is depends on where the job starts", nullptr, "具体是哪个文件取决于作业的启动目录"},
    {"not a list of CPUs", nullptr, "不是CPU列表"},
    {"not a number", nullptr, "不是数值"},
    {"empty: not mounted, or hidden by the container", nullptr, "为空：未挂载，或被容器隐藏"},
    {"not asked: that of another device has hung", nullptr, "未读取：另一设备的同类文件已无响应"},
    {"only the first 64 bytes can be read; run as root", nullptr, "只能读到前64字节；请以root运行"},
    {"only the first ([0-9]+) bytes can be read", nullptr, "只能读到前 $1 字节"},
    {"only the first ([0-9]+) devices were read", nullptr, "只读取了前 $1 个设备"},
    {"only the first ([0-9]+) outputs of lspci were read", nullptr, "只读取了前 $1 份 lspci 输出"},
    {"no such amount of memory: (.*)", nullptr, "内存数值无效：$1"},
    {"all bits are set: the device does not answer", nullptr, "全为1：设备无响应"},
    {"the list of (.*) is broken at (.*)", nullptr, "$1 链表在 $2 处损坏"},
    {"damaged at byte ([0-9]+)", nullptr, "第 $1 字节处损坏"},
    {"cut off: the last line has no end", nullptr, "内容被截断：最后一行不完整"},
    {"nothing of a machine was found in it", nullptr, "其中没有机器信息"},
    {"a record of gpuadapt: 'gpuadapt report --record' takes it", nullptr,
     "gpuadapt 的记录：请用 gpuadapt report --record"},
    {"a tool failed: (.*)", nullptr, "工具报错：$1"},
    {"not all of it is in (.*)", nullptr, "$1 中不完整"},
    {"dmidecode was not allowed to read the firmware's table; run it as root", nullptr,
     "dmidecode 无权读取固件表；请以root运行"},
    {"the end of dmidecode's output is missing: memory modules and processors cannot be counted", nullptr,
     "dmidecode 的输出缺少结尾：内存条与处理器数量未知"},
    {"dmidecode says Core Count (.*) and Core Enabled (.*): cores a socket are not known", nullptr,
     "dmidecode 中 Core Count 为 $1，Core Enabled 为 $2：每颗核数未知"},
    {"lscpu counts ([0-9]+) sockets of ([0-9]+) cores, more than its ([0-9]+) CPUs: cores a socket are not known",
     nullptr, "lscpu 计为 $1 颗、每颗 $2 核，多于其 $3 个逻辑CPU：每颗核数未知"},
    {"not found: PCI devices have numbers instead of names", nullptr, "未找到：PCI设备只显示编号"},
    {"no topology matrix in its output", nullptr, "输出中没有拓扑矩阵"},
    {"no value: the port went away, or its driver does not tell", nullptr, "没有值：端口已消失，或驱动未给出"},
    {"the library does not tell its PCI address", nullptr, "管理库未给出PCI地址"},
    {"the process that asks it gave no answer", nullptr, "查询进程无应答"},
    {"the process that asks it ended with status ([0-9]+)(.*)", nullptr, "查询进程退出，状态 $1$2"},
    {"time-out: (.*)", nullptr, "超时：$1"},
    {"ended: no result after ([0-9]+) ms", nullptr, "已终止：$1 ms 内没有结果"},
    {"ended: it wrote more than ([0-9]+) bytes", nullptr, "已终止：输出超过 $1 字节"},
    {"ended by signal ([0-9]+)", nullptr, "被信号 $1 终止"},
    {"'(.*)' is not installed, or not in PATH", nullptr, "“$1” 未安装，或不在PATH中"},
    {"'(.*)' cannot be started: (.*)", nullptr, "“$1” 无法启动：$2"},
    {"a copied tree has no tools", nullptr, "复制的目录树中没有工具"},
    {"it crashed: (.*)", nullptr, "崩溃：$1"},
    {"exit status ([0-9]+)", nullptr, "退出状态 $1"},
    {"(.*): the device does not answer \\(rev ff\\)", nullptr, "$1：设备无响应（rev ff）"},
    {"([^ ]+): cannot be opened: (.*)", nullptr, "$1：无法打开：$2"},
    {"([^ ]+): port ([0-9]+) cannot be queried: (.*)", nullptr, "$1：端口 $2 无法查询：$3"},
    {"its list of devices cannot be read: (.*)", nullptr, "无法读取设备列表：$1"},
    {"(.*): all bits are set: the device does not answer", nullptr, "$1：全为1：设备无响应"},
    {"of ([0-9]+) devices? lspci was not allowed to read the capabilities: links and ACS are unknown; run it as root",
     nullptr, "$1 个设备：lspci 无权读取能力寄存器，链路与ACS未知；请以root运行"},
    {"of ([0-9]+) devices? only the place in the tree is told: class, link and ACS are unknown; (lspci .*) as root "
     "prints them",
     nullptr, "$1 个设备：只有树中的位置，类别、链路与ACS未知；请以root运行 $2"},
    {"of ([0-9]+) devices? only the name is told: links and ACS are unknown; (lspci .*) as root prints them", nullptr,
     "$1 个设备：只有名称，链路与ACS未知；请以root运行 $2"},
    {"of ([0-9]+) devices? no registers are told: links and ACS are unknown; (lspci .*) as root prints them", nullptr,
     "$1 个设备：没有寄存器内容，链路与ACS未知；请以root运行 $2"},
    {"of ([0-9]+) devices? the bytes of the configuration space are not told; (lspci .*) as root prints them", nullptr,
     "$1 个设备：没有配置空间的字节；请以root运行 $2"},
    {"of ([0-9]+) devices? there are only the first 64 bytes of the configuration space \\(lspci -x\\): links and ACS "
     "are unknown; (lspci .*) as root prints them",
     nullptr, "$1 个设备：只有配置空间的前64字节（lspci -x），链路与ACS未知；请以root运行 $2"},
    {"of ([0-9]+) devices? there are only 256 bytes of the configuration space \\(lspci -xxx\\): in the bytes there is "
     "no ACS; (lspci .*) as root prints them",
     nullptr, "$1 个设备：只有配置空间的前256字节（lspci -xxx），其中没有ACS；请以root运行 $2"},
    {"more than ([0-9]+) facts", nullptr, "超过 $1 项"},
};

/// A reason that holds for several devices.
constexpr const char* kOfDevices = "(.*): ([0-9]+) of ([0-9]+) devices?";

Message single(const std::string& reason) {
    return reworded(reason, kReasons).value_or(Message::same(reason));
}

}  // namespace

Message unread_reason(const std::string& reason) {
    constexpr std::size_t kLongest = 4096;
    std::smatch parts;
    if (reason.size() > kLongest || !std::regex_match(reason, parts, std::regex(kOfDevices)))
        return single(reason);
    const Message cause = single(parts[1]);
    return {reason, cause.zh + "：" + parts[3].str() + " 个设备中的 " + parts[2].str() + " 个"};
}

}  // namespace gpuadapt::report

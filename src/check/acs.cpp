// SPDX-License-Identifier: Apache-2.0
#include "check/judgement.hpp"
#include "check/remedy.hpp"
#include "check/rules.hpp"

#include <algorithm>
#include <array>
#include <set>

/// Access Control Services (PCIe base spec 7.7.11). A bridge that redirects requests sends what two devices below a
/// switch say to each other up to the root complex and down again, or nowhere.
namespace gpuadapt::check {
namespace {

// Bits of the control register.
constexpr int kTranslationBlocking = 0x02, kDirectTranslated = 0x40;
/// Request Redirect, Completion Redirect, Egress Control: what Linux counts as redirecting (pci_bridge_has_acs_redir in
/// drivers/pci/p2pdma.c). Source Validation alone (0x01) does not.
constexpr int kRedirect = 0x2c;
/// What the kernel itself sets, as far as the bridge can, once an IOMMU driver asks for it (pci_std_enable_acs).
constexpr int kSetByKernel = 0x1d;

constexpr int kWholeSpace = 4096;

constexpr std::array<std::string_view, 1> kConfig = {"/sys/bus/pci/devices/*/config"};
constexpr std::array<std::string_view, 1> kCommandLine = {"/proc/cmdline"};

using Devices = std::vector<const PciDevice*>;

/// The bridges on both branches below the first one that two devices share; none where they share none, since what they
/// say to each other then goes through the host bridge anyway.
void add_between(const Subject& subject, const PciDevice& one, const PciDevice& other,
                 std::set<const PciDevice*>& found) {
    const Devices first = subject.bridges_above(one), second = subject.bridges_above(other);
    for (std::size_t i = 0; i < first.size(); ++i) {
        const auto common = std::find(second.begin(), second.end(), first[i]);
        if (common == second.end())
            continue;
        found.insert(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(i));
        found.insert(second.begin(), common);
        return;
    }
}

Devices by_address(const std::set<const PciDevice*>& set) {
    Devices sorted(set.begin(), set.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const PciDevice* a, const PciDevice* b) { return a->address < b->address; });
    return sorted;
}

bool unreadable(const PciDevice& bridge) {
    return !bridge.acs && bridge.config_bytes.value_or(0) < kWholeSpace;
}

/// Who has set the bits, and what follows from it.
Message who_set(const Subject& subject, const Devices& redirecting) {
    const bool as_kernel = std::all_of(redirecting.begin(), redirecting.end(), [](const PciDevice* bridge) {
        return bridge->acs->control == (kSetByKernel & bridge->acs->capability);
    });
    if (subject.machine.iommu_active == true && as_kernel)
        return {
            "The kernel set it when the IOMMU was switched on: switching ACS off in the BIOS does not help while the "
            "IOMMU is on, and a reset of the device brings it back.",
            "由内核在启用 IOMMU 时设置：IOMMU 开启期间，在 BIOS 中关闭 ACS 无效，设备复位后也会恢复。"};
    if (subject.machine.iommu_active == false)
        return {"No IOMMU is active, so the firmware (BIOS) set it.", "没有启用 IOMMU，由固件（BIOS）设置。"};
    return {};
}

Message joined(Message first, const Message& second) {
    if (!second.empty()) {
        first.en += " " + second.en;
        first.zh += second.zh;
    }
    return first;
}

Remedy without_redirect(const Subject& subject, const Devices& redirecting) {
    RemedyBuilder remedy(subject);
    std::string list;
    for (const PciDevice* bridge : redirecting) {
        remedy.pci(bridge->address, "ECAP_ACS+6.w", 0, kRedirect, static_cast<unsigned>(bridge->acs->control));
        list += (list.empty() ? "" : ";") + bridge->address;
    }
    return remedy.kernel_arguments({"pci=disable_acs_redir=" + list})
        .firmware(
            {"ACS Enable: Disabled (AMD: NBIO Common Options; Intel: PCI Express Configuration); VT-d or AMD IOMMU: "
             "Disabled, where no virtual machines are run",
             "ACS Enable 设为 Disabled（AMD 在 NBIO Common Options，Intel 在 PCI Express 配置）；不运行虚拟机时，"
             "VT-d 或 AMD IOMMU 设为 Disabled"})
        .take();
}

void judge_redirect(const Subject& subject, Judgement& judgement, const std::set<const PciDevice*>& between) {
    Devices redirecting;
    std::vector<std::string> names, unread;
    for (const PciDevice* bridge : by_address(between)) {
        judgement.ok();
        if (unreadable(*bridge)) {
            unread.push_back(bridge->address);
        } else if (bridge->acs && (bridge->acs->control & kRedirect) != 0) {
            redirecting.push_back(bridge);
            names.push_back(fmt::format("{} ACSCtl={:#06x}", bridge->address, bridge->acs->control));
        }
    }
    if (!redirecting.empty())
        judgement
            .wrong(redirecting.size() == 1
                       ? redirecting.front()->address
                       : fmt::format("{} ... {}", redirecting.front()->address, redirecting.back()->address),
                   say({"{} of {} bridges between them redirect: {}", "其间 {1} 个桥中有 {0} 个重定向：{2}"},
                       redirecting.size(), between.size(), listed(names)),
                   joined({"Clear the redirect bits of these bridges.", "清除这些桥的重定向位。"},
                          who_set(subject, redirecting)))
            .remedy = without_redirect(subject, redirecting);
    if (!unread.empty())
        judgement.unknown(unread.size() == 1 ? unread.front() : fmt::format("{} ... {}", unread.front(), unread.back()),
                          say({"the extended configuration space was not read (needs root): {}",
                               "未读到扩展配置空间（需要 root）：{}"},
                              listed(unread)),
                          {"Run as root, outside of a container.", "请以 root 在容器外运行。"});
}

void gpu_to_gpu(const Subject& subject, Judgement& judgement) {
    const Devices gpus = subject.gpu_devices();
    std::set<const PciDevice*> between;
    for (std::size_t i = 0; i < gpus.size(); ++i)
        for (std::size_t j = i + 1; j < gpus.size(); ++j)
            add_between(subject, *gpus[i], *gpus[j], between);
    judge_redirect(subject, judgement, between);
}

void gpu_to_nic(const Subject& subject, Judgement& judgement) {
    const Devices gpus = subject.gpu_devices(), nics = subject.network_devices();
    std::set<const PciDevice*> between;
    for (const PciDevice* gpu : gpus)
        for (const PciDevice* nic : nics)
            add_between(subject, *gpu, *nic, between);
    judge_redirect(subject, judgement, between);
}

/// A guest, and a processor with coherent GPUs, use translated requests: those must pass a switch directly.
void translated(const Subject& subject, Judgement& judgement) {
    for (const PciDevice* gpu : subject.gpu_devices()) {
        if (!gpu->ats) {
            if (gpu->config_bytes.value_or(0) < kWholeSpace)
                judgement.unknown(gpu->address, subject.why_unread(kConfig[0]));
            continue;
        }
        judgement.ok();
        if (!*gpu->ats)
            continue;
        for (const PciDevice* bridge : subject.bridges_above(*gpu)) {
            if (bridge->port_type == "root port" || !bridge->acs || (bridge->acs->control & kRedirect) == 0)
                continue;
            const bool blocked = (bridge->acs->control & kTranslationBlocking) != 0;
            if (!blocked && (bridge->acs->control & kDirectTranslated) != 0)
                continue;
            judgement
                .wrong(bridge->address,
                       say({"above {}, which has ATS on: ACSCtl={:#06x}, DirectTrans off or TransBlk on",
                            "位于已开启 ATS 的 {} 之上：ACSCtl={:#06x}，DirectTrans 关闭或 TransBlk 开启"},
                           gpu->address, bridge->acs->control),
                       {"Let translated requests pass: DirectTrans on, TransBlk off.",
                        "允许已转换的请求直通：开启 DirectTrans，关闭 TransBlk。"})
                .remedy =
                RemedyBuilder(subject)
                    .pci(bridge->address, "ECAP_ACS+6.w", kDirectTranslated, kDirectTranslated | kTranslationBlocking,
                         static_cast<unsigned>(bridge->acs->control))
                    .take();
        }
    }
}

/// What people write against ACS and the kernel does not understand.
void command_line(const Subject& subject, Judgement& judgement) {
    if (!subject.machine.os.command_line) {
        judgement.unknown("", subject.why_unread(kCommandLine[0]));
        return;
    }
    judgement.ok();
    const std::string text = " " + *subject.machine.os.command_line + " ";
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    const auto complain = [&](const Text& what, const Text& advice, const std::string& argument) {
        judgement.wrong("", say(what, argument), Message(advice)).remedy =
            RemedyBuilder(subject).kernel_arguments({}, {argument}).take();
    };
    if (has("pci=noacs") || has(",noacs"))
        complain({"{} is no option of the kernel: it is ignored", "{} 不是内核参数，会被忽略"},
                 {"Take it out; pci=disable_acs_redir=ADDRESS;ADDRESS is what switches the redirect off.",
                  "请删除；关闭重定向应使用 pci=disable_acs_redir=地址;地址。"},
                 "pci=noacs");
    const std::size_t list = text.find("disable_acs_redir=");
    if (list != std::string::npos) {
        const std::string value = text.substr(list, text.find(' ', list) - list);
        if (value.find(',') != std::string::npos)
            complain({"{}: pci= is cut at commas, so that only the first address counts",
                      "{}：pci= 在逗号处截断，只有第一个地址有效"},
                     {"Separate the addresses with ';', and put the argument in quotes in GRUB's file.",
                      "请用 ';' 分隔地址，并在 GRUB 配置文件中加引号。"},
                     "pci=" + value);
    }
    if (has(" pcie_acs_override="))
        complain({"{} needs a patched kernel; it makes groups smaller and switches nothing off",
                  "{} 需要打过补丁的内核；它只会拆分组，不会关闭任何功能"},
                 {"Take it out.", "请删除。"}, "pcie_acs_override=");
}

constexpr Check kChecks[] = {
    {.id = "ACS1",
     .area = Area::acs,
     .severity = Severity::failure,
     .title = {"no bridge between GPUs redirects their traffic", "GPU 之间的桥不重定向流量"},
     .problem = {"traffic between GPUs is redirected to the root complex", "GPU 间流量被重定向到根复合体"},
     .reason =
         {"With Request Redirect, Completion Redirect or Egress Control on, copies between GPUs of one switch take "
          "the way over the CPU: half of the rate, and on some machines wrong data or a hang.",
          "开启 Request Redirect、Completion Redirect 或 Egress Control 后，同一交换芯片下 GPU 间的拷贝要绕经 CPU："
          "带宽减半，某些机器上还会出现数据错误或挂死。"},
     .sources = kConfig,
     .reference = "PCIe base spec 7.7.11; Linux drivers/pci/p2pdma.c, pci_bridge_has_acs_redir",
     .except = {.vm = true, .grace = true},
     .of_machine = gpu_to_gpu},
    {.id = "ACS2",
     .area = Area::acs,
     .title = {"no bridge between a GPU and a NIC redirects their traffic", "GPU 与网卡之间的桥不重定向流量"},
     .problem = {"traffic between GPU and NIC is redirected to the root complex", "GPU 与网卡间流量被重定向到根复合体"},
     .reason = {"GPUDirect RDMA below one switch then goes over the CPU.",
                "同一交换芯片下的 GPUDirect RDMA 因此绕经 CPU。"},
     .sources = kConfig,
     .reference = "PCIe base spec 7.7.11; Linux drivers/pci/p2pdma.c, pci_bridge_has_acs_redir",
     .except = {.vm = true, .grace = true},
     .of_machine = gpu_to_nic},
    {.id = "ACS3",
     .area = Area::acs,
     .title = {"translated requests of GPUs pass the switches", "GPU 已转换的请求可直通交换芯片"},
     .problem = {"a switch does not let translated requests pass", "交换芯片不放行已转换的请求"},
     .reason =
         {"Where ATS is on and ACS redirects, direct copies between GPUs need Direct Translated P2P on each switch.",
          "开启 ATS 且 ACS 重定向时，GPU 间直接拷贝要求各交换芯片开启 Direct Translated P2P。"},
     .sources = kConfig,
     .reference = "PCIe base spec 7.7.11.2",
     .of_machine = translated},
    {.id = "ACS4",
     .area = Area::acs,
     .title = {"what the command line says about ACS is understood", "命令行中的 ACS 参数有效"},
     .problem = {"an argument against ACS has no effect", "关闭 ACS 的参数无效"},
     .reason =
         {"Such arguments are passed on from list to list, and whoever reads the command line believes ACS to be off.",
          "这类参数常被相互抄用，看到命令行的人会误以为 ACS 已关闭。"},
     .sources = kCommandLine,
     .reference = "Linux Documentation/admin-guide/kernel-parameters.txt, pci=; drivers/pci/pci.c, pci_setup",
     .of_machine = command_line},
};

}  // namespace

std::span<const Check> acs_checks() {
    return kChecks;
}

}  // namespace gpuadapt::check

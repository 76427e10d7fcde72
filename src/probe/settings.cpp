// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <string_view>

/// Settings of the kernel and of the firmware that the checks judge, by the file that has them.
namespace gpuadapt {

namespace {

enum class Form {
    line,   ///< the first line
    names,  ///< a folder: what is in it, separated by blanks
    flag,   ///< a variable of UEFI: four bytes of attributes, then 0 or 1 (UEFI 2.10, 8.2; efivarfs)
};

struct Setting {
    std::string_view path;
    Form form = Form::line;
};

constexpr Setting kSettings[] = {
    // Memory
    {"/proc/sys/kernel/numa_balancing"},
    {"/proc/sys/vm/swappiness"},
    {"/proc/sys/vm/zone_reclaim_mode"},
    {"/proc/sys/vm/overcommit_memory"},
    {"/proc/sys/vm/max_map_count"},
    {"/proc/sys/vm/min_free_kbytes"},
    {"/proc/sys/vm/compaction_proactiveness"},
    {"/sys/kernel/mm/transparent_hugepage/enabled"},
    {"/sys/kernel/mm/transparent_hugepage/defrag"},
    {"/sys/kernel/mm/ksm/run"},
    {"/sys/kernel/mm/memory_peers", Form::names},
    // Processors and time
    {"/proc/sys/kernel/nmi_watchdog"},
    {"/proc/sys/kernel/watchdog"},
    {"/proc/sys/kernel/timer_migration"},
    {"/proc/sys/kernel/sched_autogroup_enabled"},
    {"/proc/sys/kernel/perf_event_paranoid"},
    {"/sys/devices/system/cpu/possible"},
    {"/sys/devices/system/cpu/present"},
    {"/sys/devices/system/cpu/isolated"},
    {"/sys/devices/system/cpu/nohz_full"},
    {"/sys/devices/system/cpu/cpu0/power/energy_perf_bias"},
    {"/sys/devices/system/cpu/cpuidle/current_governor"},
    {"/sys/module/intel_idle/parameters/max_cstate"},
    {"/sys/module/processor/parameters/max_cstate"},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"/sys/devices/system/clocksource/clocksource0/available_clocksource"},
    {"/etc/tuned/active_profile"},
    // PCI Express and IOMMU
    {"/sys/module/pcie_aspm/parameters/policy"},
    {"/sys/class/iommu", Form::names},
    {"/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts"},
    // Network
    {"/proc/sys/net/core/rmem_max"},
    {"/proc/sys/net/core/wmem_max"},
    {"/proc/sys/net/core/rmem_default"},
    {"/proc/sys/net/core/wmem_default"},
    {"/proc/sys/net/core/optmem_max"},
    {"/proc/sys/net/core/netdev_max_backlog"},
    {"/proc/sys/net/core/somaxconn"},
    {"/proc/sys/net/core/busy_poll"},
    {"/proc/sys/net/core/default_qdisc"},
    {"/proc/sys/net/ipv4/tcp_rmem"},
    {"/proc/sys/net/ipv4/tcp_wmem"},
    {"/proc/sys/net/ipv4/tcp_timestamps"},
    {"/proc/sys/net/ipv4/tcp_sack"},
    {"/proc/sys/net/ipv4/tcp_mtu_probing"},
    {"/proc/sys/net/ipv4/tcp_congestion_control"},
    {"/proc/sys/net/ipv4/tcp_max_syn_backlog"},
    {"/proc/sys/net/ipv4/ip_local_port_range"},
    {"/proc/sys/net/ipv4/conf/all/arp_ignore"},
    {"/proc/sys/net/ipv4/conf/all/arp_announce"},
    {"/proc/sys/net/ipv4/conf/all/rp_filter"},
    {"/proc/sys/net/ipv4/conf/default/rp_filter"},
    // Limits and security
    {"/proc/sys/kernel/pid_max"},
    {"/proc/sys/kernel/threads-max"},
    {"/proc/sys/fs/file-max"},
    {"/proc/sys/fs/aio-max-nr"},
    {"/proc/sys/kernel/shmmax"},
    {"/proc/sys/kernel/yama/ptrace_scope"},
    {"/sys/kernel/security/lockdown"},
    {"/sys/fs/selinux/enforce"},
    {"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", Form::flag},
};

std::optional<std::string> read_setting(Root& root, const Setting& setting) {
    const std::string path(setting.path);
    switch (setting.form) {
        case Form::line:
            return root.read_line(path);
        case Form::names: {
            const auto names = root.list(path);
            if (!names)
                return std::nullopt;
            std::string text;
            for (const std::string& name : *names)
                text += (text.empty() ? "" : " ") + clean_utf8(name);
            return text;
        }
        case Form::flag: {
            constexpr std::size_t kBytes = 5;
            const auto bytes = root.read(path);
            if (!bytes || bytes->size() != kBytes || static_cast<unsigned char>(bytes->back()) > 1)
                return std::nullopt;
            return bytes->back() == 0 ? "0" : "1";
        }
    }
    return std::nullopt;
}

}  // namespace

void probe_settings(Root& root, Machine& machine) {
    for (const Setting& setting : kSettings)
        if (auto value = read_setting(root, setting))
            machine.settings.emplace(setting.path, std::move(*value));
}

}  // namespace gpuadapt

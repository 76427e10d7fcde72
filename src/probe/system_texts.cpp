// SPDX-License-Identifier: Apache-2.0
#include "probe/system_texts.hpp"

#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <set>

namespace gpuadapt {

namespace {

struct Mark {
    std::string_view mark, name;
};

/// What cgroup paths of the usual runtimes look like, the most telling first.
constexpr Mark kCgroupMarks[] = {
    {"kubepods", "kubernetes"},
    {"/docker/", "docker"},
    {"/docker-", "docker"},
    {"libpod-", "podman"},
    {"/lxc/", "lxc"},
    {"lxc.payload", "lxc"},
    {"cri-containerd-", "containerd"},
    {"/machine.slice/machine-", "systemd-nspawn"},
};

/// What hypervisors and clouds write into their guests' DMI.
constexpr Mark kDmiMarks[] = {
    {"VMware", "vmware"},
    {"VirtualBox", "virtualbox"},
    {"innotek", "virtualbox"},
    {"Virtual Machine", "hyperv"},  // with vendor Microsoft Corporation
    {"Parallels", "parallels"},
    {"BHYVE", "bhyve"},
    {"Xen", "xen"},
    {"KVM", "kvm"},
    {"RHEV", "kvm"},
    {"oVirt", "kvm"},
    {"OpenStack", "kvm"},
    {"Google Compute Engine", "kvm"},
    {"Amazon EC2", "kvm"},
    {"Alibaba Cloud", "kvm"},
    {"Tencent Cloud", "kvm"},
    {"HUAWEICLOUD", "kvm"},
    {"QEMU", "qemu"},
    {"Bochs", "qemu"},
    {"Apple Virtualization", "apple"},
};

constexpr Mark kClockMarks[] = {{"kvm-clock", "kvm"}, {"hyperv_clocksource", "hyperv"}, {"xen", "xen"}};

std::string unquote(std::string_view text) {
    if (text.size() < 2 || (text[0] != '"' && text[0] != '\'') || text.back() != text[0])
        return std::string(text);
    std::string result;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size())
            ++i;
        result += text[i];
    }
    return result;
}

/// The text of the string that follows `key`, a ':' and white space.
std::optional<std::string_view> json_string_after(std::string_view json, std::string_view key) {
    const std::size_t found = json.find(key);
    if (found == std::string_view::npos)
        return std::nullopt;
    std::string_view rest = trim(json.substr(found + key.size()));
    if (!rest.starts_with(':'))
        return std::nullopt;
    rest = trim(rest.substr(1));
    const std::size_t end = rest.find('"', 1);
    if (!rest.starts_with('"') || end == std::string_view::npos)
        return std::nullopt;
    return rest.substr(1, end - 1);
}

bool is_ipv4(std::string_view text) {
    int parts = 0;
    while (true) {
        const std::size_t dot = text.find('.');
        const auto number = parse_int(text.substr(0, dot));
        if (!number || *number < 0 || *number > 255)
            return false;
        ++parts;
        if (dot == std::string_view::npos)
            return parts == 4;
        text.remove_prefix(dot + 1);
    }
}

std::optional<std::string> if_any(std::string_view text) {
    text = trim(text);
    return text.empty() ? std::nullopt : std::optional(clean_utf8(text));
}

}  // namespace

std::map<std::string, std::string> parse_os_release(std::string_view text) {
    std::map<std::string, std::string> values;
    for (const std::string_view line : split_lines(text)) {
        const auto pair = split_pair(line, '=');
        if (pair && !pair->first.empty() && !pair->first.starts_with('#'))
            values[clean_utf8(pair->first)] = clean_utf8(unquote(pair->second));
    }
    return values;
}

std::optional<std::string> container_of_cgroup(std::string_view text) {
    for (const Mark& mark : kCgroupMarks)
        if (text.find(mark.mark) != std::string_view::npos)
            return std::string(mark.name);
    return std::nullopt;
}

std::optional<std::string> hypervisor_of_dmi(const Dmi& dmi) {
    for (const Mark& mark : kDmiMarks)
        for (const auto& field : {dmi.system_vendor, dmi.product_name, dmi.product_version, dmi.bios_vendor})
            if (field && field->find(mark.mark) != std::string::npos)
                return std::string(mark.name);
    return std::nullopt;
}

std::optional<std::string> hypervisor_of_clocks(std::string_view text) {
    for (const Mark& mark : kClockMarks)
        if (text.find(mark.mark) != std::string_view::npos)
            return std::string(mark.name);
    return std::nullopt;
}

std::vector<std::string> parse_local_addresses(std::string_view fib_trie) {
    std::vector<std::string> addresses;
    std::set<std::string_view> seen;  // a node of a cluster may have tens of thousands
    std::string_view leaf;
    for (const std::string_view line : split_lines(fib_trie)) {
        const std::string_view text = trim(line);
        if (text.starts_with("|-- ")) {
            leaf = trim(text.substr(4));
        } else if (text == "/32 host LOCAL" && is_ipv4(leaf) && !leaf.starts_with("127.")) {
            if (seen.insert(leaf).second)
                addresses.emplace_back(leaf);
        }
    }
    return addresses;
}

std::optional<std::string> parse_cuda_version(std::string_view json) {
    const std::size_t cuda = json.find("\"cuda\"");
    if (cuda == std::string_view::npos)
        return std::nullopt;
    const std::string_view rest = json.substr(cuda);
    const auto version = json_string_after(rest.substr(0, rest.find('}')), "\"version\"");
    return version ? if_any(*version) : std::nullopt;
}

std::optional<std::string> parse_version_line(std::string_view text) {
    for (const std::string_view line : split_lines(text)) {
        const std::string_view clean = trim(line);
        for (const std::string_view key : {"Version:", "CUDA Version"})
            if (clean.starts_with(key))
                return if_any(clean.substr(key.size()));
    }
    const std::string_view first = trim(text.substr(0, text.find('\n')));
    if (first.empty() || first[0] < '0' || first[0] > '9')
        return std::nullopt;
    return clean_utf8(first);
}

}  // namespace gpuadapt

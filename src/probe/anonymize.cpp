// SPDX-License-Identifier: Apache-2.0
#include "probe/anonymize_binary.hpp"
#include "probe/parse.hpp"
#include "probe/smbios_identities.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/pseudonyms.hpp>
#include <gpuadapt/probe/anonymize.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <string_view>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

void add_word(Pseudonyms& names, const std::optional<std::string>& word) {
    if (word)
        names.add_word(*word);
}

void add_hex(Pseudonyms& names, const std::optional<std::string>& digits) {
    if (digits)
        names.add_hex(*digits);
}

constexpr const char* kSmbios = "/sys/firmware/dmi/tables/DMI";

/// What the probes know to be an identity.
void add_of_machine(Pseudonyms& names, const Machine& machine) {
    add_word(names, machine.dmi.serial);
    add_word(names, machine.dmi.board_serial);
    add_hex(names, machine.dmi.uuid);
    for (const Dimm& dimm : machine.dimms)
        add_word(names, dimm.serial);
    for (const PciDevice& device : machine.pci_devices) {
        add_hex(names, device.serial_number);
        if (device.vpd)
            add_word(names, device.vpd->serial);
    }
    for (const Gpu& gpu : machine.gpus) {
        add_word(names, gpu.serial);
        if (gpu.uuid)
            names.add_all_in(*gpu.uuid);
    }
    for (const NetInterface& interface : machine.interfaces)
        add_hex(names, interface.mac);
    for (const RdmaDevice& device : machine.rdma_devices)
        add_hex(names, device.node_guid);
    for (const std::string& address : machine.addresses)
        names.add_ipv4(address);
}

std::string text_of(const Answers& answers, const std::string& path) {
    const auto found = answers.files.find(path);
    return found == answers.files.end() ? "" : found->second.text;
}

/// What stands in files whose name or kind says that it is an identity.
void add_of_files(Pseudonyms& names, const Answers& answers) {
    for (const auto& [path, answer] : answers.files) {
        if (path.starts_with("/sys/class/dmi/id/") && (path.ends_with("_serial") || path.ends_with("_asset_tag")))
            names.add_word(answer.text);
        else if (answer.text.find('\0') == std::string::npos)
            names.add_all_in(answer.text);
    }
    for (const std::string& identity : smbios_identities(text_of(answers, kSmbios)))
        names.add_word(identity);
    for (const auto& [argv, answer] : answers.commands)
        names.add_all_in(answer.output);
    for (const auto& [key, value] : answers.lookups)
        names.add_all_in(value.value_or(""));
}

void add_ipv4_in(Pseudonyms& names, std::string_view text) {
    while (!text.empty()) {
        const std::size_t begin = text.find_first_of("0123456789");
        if (begin == std::string_view::npos)
            break;
        text.remove_prefix(begin);
        const std::size_t end = text.find_first_not_of("0123456789.");
        names.add_ipv4(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    }
}

/// "0000:0000:0000:0000:0000:ffff:c000:020b": the GID of RoCE v2 holds the address 192.0.2.11.
void add_ipv4_of_gid(Pseudonyms& names, std::string_view gid) {
    constexpr std::string_view kMapped = "0000:0000:0000:0000:0000:ffff:";
    gid = trim(gid);
    if (!gid.starts_with(kMapped) || gid.size() != kMapped.size() + 9)
        return;
    const auto part = [&](std::size_t at) { return parse_hex(gid.substr(kMapped.size() + at, 2)).value_or(0); };
    names.add_ipv4(fmt::format("{}.{}.{}.{}", part(0), part(2), part(5), part(7)));
}

/// Where addresses stand. Not everywhere: versions look like them.
void add_addresses(Pseudonyms& names, const Answers& answers) {
    // Networks and broadcast addresses stand there too: they go with the addresses in them.
    for (const char* path : {"/proc/net/fib_trie", "/proc/cmdline"})
        add_ipv4_in(names, text_of(answers, path));
    for (const auto& [name, value] : answers.environment)
        add_ipv4_in(names, value);
    for (const auto& [path, answer] : answers.files)
        if (path.find("/gids/") != std::string::npos)
            add_ipv4_of_gid(names, answer.text);
}

void add_host_names(Pseudonyms& names, const Answers& answers) {
    for (const char* path : {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
        const std::string name(trim(text_of(answers, path)));
        for (const std::string& spelt : {name, name.substr(0, name.find('.'))})
            if (spelt != "localhost")
                names.add_name(spelt, "host");
    }
}

/// /proc/sysinfo of an s390: "Sequence Code" is the machine's serial number; partition and guests have names.
void add_of_sysinfo(Pseudonyms& names, std::string_view text) {
    for (const std::string_view line : split_lines(text)) {
        const auto pair = split_pair(line, ':');
        if (pair && pair->first == "Sequence Code")
            names.add_word(pair->second);
        else if (pair && pair->first.ends_with(" Name"))
            names.add_name(pair->second, "host");
    }
}

/// "/home/NAME"
void add_home_names(Pseudonyms& names, std::string_view text) {
    constexpr std::string_view kHome = "/home/";
    for (std::size_t at = text.find(kHome); at != std::string_view::npos; at = text.find(kHome, at)) {
        at += kHome.size();
        names.add_name(text.substr(at, text.find_first_of("/:; \t\n", at) - at), "user");
    }
}

}  // namespace

Answers anonymize(const Answers& answers, const std::string& key) {
    Pseudonyms names(key);
    MemoryRoot root(answers);
    add_of_machine(names, probe_machine(root));
    add_of_files(names, answers);
    add_addresses(names, answers);
    add_host_names(names, answers);
    add_of_sysinfo(names, text_of(answers, "/proc/sysinfo"));
    for (const auto& [name, value] : answers.environment)
        add_home_names(names, value);
    Answers other = answers;
    for (auto& [path, answer] : other.files) {
        if (path.ends_with("/config"))
            answer.text = anonymize_config(std::move(answer.text), names);
        else if (path.ends_with("/vpd"))
            answer.text = anonymize_vpd(std::move(answer.text), names);
        else if (path == kSmbios)
            answer.text = anonymize_smbios(std::move(answer.text), names);
    }
    return names.replace(other);
}

}  // namespace gpuadapt

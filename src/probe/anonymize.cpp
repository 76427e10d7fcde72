// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios_identities.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/pseudonyms.hpp>
#include <gpuadapt/probe/anonymize.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <string_view>

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
    for (const std::string& identity : smbios_identities(text_of(answers, "/sys/firmware/dmi/tables/DMI")))
        names.add_word(identity);
    for (const auto& [argv, answer] : answers.commands)
        names.add_all_in(answer.output);
    for (const auto& [key, value] : answers.lookups)
        names.add_all_in(value.value_or(""));
    // Networks and broadcast addresses stand there too: they go with the addresses in them.
    const std::string trie = text_of(answers, "/proc/net/fib_trie");
    std::string_view routes = trie;
    while (!routes.empty()) {
        const std::size_t begin = routes.find_first_of("0123456789");
        if (begin == std::string_view::npos)
            break;
        routes.remove_prefix(begin);
        const std::size_t end = routes.find_first_not_of("0123456789.");
        names.add_ipv4(routes.substr(0, end));
        routes.remove_prefix(end == std::string_view::npos ? routes.size() : end);
    }
}

void add_host_names(Pseudonyms& names, const Answers& answers) {
    for (const char* path : {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
        const std::string name(trim(text_of(answers, path)));
        for (const std::string& spelt : {name, name.substr(0, name.find('.'))})
            if (spelt != "localhost")
                names.add_name(spelt, "host");
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
    add_host_names(names, answers);
    for (const auto& [name, value] : answers.environment)
        add_home_names(names, value);
    return names.replace(answers);
}

}  // namespace gpuadapt

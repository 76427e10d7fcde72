// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/check/profile.hpp>

#include <algorithm>
#include <array>

namespace gpuadapt::check {
namespace {

struct Word {
    std::string_view word;
    bool Profile::*flag;
};

constexpr Word kWords[] = {
    {"metax", &Profile::metax},         {"nvidia", &Profile::nvidia}, {"amd", &Profile::amd},     {"vm", &Profile::vm},
    {"container", &Profile::container}, {"arm", &Profile::arm},       {"grace", &Profile::grace},
};

struct Distribution {
    std::string_view id;  ///< ID of os-release
    OsFamily family;
};

constexpr Distribution kDistributions[] = {
    {"debian", OsFamily::debian},    {"ubuntu", OsFamily::debian},      {"uos", OsFamily::debian},
    {"deepin", OsFamily::debian},    {"linuxmint", OsFamily::debian},   {"rhel", OsFamily::redhat},
    {"centos", OsFamily::redhat},    {"rocky", OsFamily::redhat},       {"almalinux", OsFamily::redhat},
    {"fedora", OsFamily::redhat},    {"ol", OsFamily::redhat},          {"openeuler", OsFamily::redhat},
    {"kylin", OsFamily::redhat},     {"anolis", OsFamily::redhat},      {"alinux", OsFamily::redhat},
    {"tencentos", OsFamily::redhat}, {"opencloudos", OsFamily::redhat}, {"bclinux", OsFamily::redhat},
    {"ctyunos", OsFamily::redhat},   {"amzn", OsFamily::redhat},
};

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

}  // namespace

bool Profile::meets(const Profile& other) const {
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](const Word& row) { return this->*row.flag && other.*row.flag; });
}

Profile profile_of(const Machine& machine) {
    Profile profile;
    for (const Gpu& gpu : machine.gpus)
        for (const Word& row : kWords)
            if (gpu.vendor == row.word)
                profile.*row.flag = true;
    profile.vm = machine.os.hypervisor.has_value();
    profile.container = machine.os.container.has_value();
    profile.arm = machine.cpu.architecture == "aarch64";
    profile.grace = profile.arm && machine.cpu.model && lower(*machine.cpu.model).find("grace") != std::string::npos;
    return profile;
}

std::optional<Profile> parse_profile(std::string_view words) {
    Profile profile;
    while (true) {
        const std::size_t comma = words.find(',');
        const std::string_view word = words.substr(0, comma);
        const auto found =
            std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& row) { return row.word == word; });
        if (found == std::end(kWords))
            return std::nullopt;
        profile.*(found->flag) = true;
        if (comma == std::string_view::npos)
            return profile;
        words.remove_prefix(comma + 1);
    }
}

std::string to_string(const Profile& profile) {
    std::string text;
    for (const Word& row : kWords)
        if (profile.*row.flag)
            text += (text.empty() ? "" : ",") + std::string(row.word);
    return text.empty() ? "none" : text;
}

OsFamily os_family(const Machine& machine) {
    const std::string id = lower(machine.os.id.value_or(""));
    const auto found = std::find_if(std::begin(kDistributions), std::end(kDistributions),
                                    [&](const Distribution& row) { return row.id == id; });
    return found == std::end(kDistributions) ? OsFamily::other : found->family;
}

}  // namespace gpuadapt::check

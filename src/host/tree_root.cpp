// SPDX-License-Identifier: Apache-2.0
#include "host/tree_root.hpp"

#include "host/tree_path.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr std::size_t kMostParts = 512;  // components of one path: a target that somebody sent may have any number

constexpr const char* kTooManyLinks = "too many links";

/// "name/" of "name/sys/devices" and "name/proc/cpuinfo", "" of "sys/devices"; nullopt of other members.
std::optional<std::string> folder_of_tree(const std::string& member) {
    constexpr int kDeepest = 3;
    std::size_t begin = 0;
    for (int depth = 0; depth <= kDeepest; ++depth) {
        const std::string_view rest = std::string_view(member).substr(begin);
        for (const std::string_view top : {"sys/devices/", "sys/class/", "sys/bus/", "proc/cpuinfo", "proc/meminfo"})
            if (rest.starts_with(top))
                return member.substr(0, begin);
        const std::size_t slash = rest.find('/');
        if (slash == std::string_view::npos)
            return std::nullopt;
        begin += slash + 1;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> TreeRoot::resolve(const std::string& path, bool follow_last) const {
    std::string here;  // the way so far, without links; empty: "/"
    std::vector<std::string> pending;
    push_components(pending, path);
    int links = 0;
    while (!pending.empty()) {
        const std::string name = std::move(pending.back());
        pending.pop_back();
        const std::size_t folder = here.size();
        if (name == "..") {
            here.resize(here.empty() ? 0 : here.rfind('/'));
            continue;
        }
        here += "/" + name;
        if (pending.empty() && !follow_last)
            break;
        const auto link = answers().links.find(here);
        if (link == answers().links.end())
            continue;
        const std::string& target = link->second.text;
        here.resize(target.starts_with('/') ? 0 : folder);
        push_components(pending, target);
        if (++links > kMostLinks || pending.size() > kMostParts)
            return std::nullopt;
    }
    return here.empty() ? "/" : here;
}

std::optional<std::string> TreeRoot::lookup(const std::string& key,
                                            const std::function<std::optional<std::string>()>& compute) {
    return key.starts_with("pci.ids/") ? compute() : std::nullopt;
}

TextAnswer TreeRoot::answer_read(const std::string& path, std::size_t limit) {
    if (!is_root_path(path))
        return {};
    const auto place = resolve(path, true);
    return place ? MemoryRoot::answer_read(*place, limit) : TextAnswer{AnswerStatus::failed, "", kTooManyLinks};
}

ListAnswer TreeRoot::answer_list(const std::string& path) {
    if (!is_root_path(path))
        return {};
    const auto place = resolve(path, true);
    if (!place)
        return {AnswerStatus::failed, {}, kTooManyLinks};
    const auto names = names_below(*place);
    if (names.empty())
        return MemoryRoot::answer_list(*place);
    return {AnswerStatus::ok, {names.begin(), names.end()}, ""};
}

TextAnswer TreeRoot::answer_link(const std::string& path) {
    if (!is_root_path(path))
        return {};
    const auto place = resolve(path, false);
    return place ? MemoryRoot::answer_link(*place) : TextAnswer{AnswerStatus::failed, "", kTooManyLinks};
}

AnswerStatus TreeRoot::answer_exists(const std::string& path) {
    if (!is_root_path(path))
        return AnswerStatus::absent;
    const auto place = resolve(path, true);
    return place ? MemoryRoot::answer_exists(*place) : AnswerStatus::failed;
}

std::optional<Answers> find_tree(const ArchiveContents& contents, const std::string& file) {
    std::set<std::string> tops;
    for (const auto& [member, bytes] : contents.files)
        if (const auto top = folder_of_tree(member))
            tops.insert(*top);
    if (tops.empty())
        return std::nullopt;
    if (tops.size() > 1)
        fail_input(file, Message(fmt::format("holds more than one machine: {}", fmt::join(tops, ", ")),
                                 fmt::format("含有多台机器：{}", fmt::join(tops, ", "))));
    const std::string& top = *tops.begin();
    Answers answers;
    answers.only_asked = true;
    const auto path_of = [&](const std::string& member) { return "/" + member.substr(top.size()); };
    for (const auto& [member, bytes] : contents.files)
        if (member.starts_with(top))
            answers.files[path_of(member)] = {AnswerStatus::ok, bytes, ""};
    for (const auto& [member, target] : contents.links)
        if (member.starts_with(top))
            answers.links[path_of(member)] = {AnswerStatus::ok, target, ""};
    return answers;
}

}  // namespace gpuadapt

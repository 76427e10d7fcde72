// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/host/memory_root.hpp>

#include <iterator>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr const char* kNotAsked = "not in the recording";

/// "/a/b" and "/a/b/c", not "/a/bc"
bool is_at_or_below(const std::string& path, const std::string& folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

/// The paths are sorted, so that the way to the next name is one search. Folders are not kept: a path that somebody
/// sent may lead through as many of them as it has letters.
template <typename Map>
void add_names_below(const Map& answers, const std::string& folder, std::set<std::string>& names) {
    constexpr char kBehindSlash = '/' + 1;
    const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
    for (auto at = answers.lower_bound(prefix); at != answers.end() && at->first.starts_with(prefix);) {
        const std::size_t end = at->first.find('/', prefix.size());
        const std::string name = at->first.substr(prefix.size(), end - prefix.size());
        if (name.empty() || at->second.status == AnswerStatus::absent) {
            ++at;
            continue;
        }
        names.insert(name);
        at = end == std::string::npos ? std::next(at) : answers.lower_bound(prefix + name + kBehindSlash);
    }
}

template <typename Map>
void erase_at_or_below(Map& map, const std::string& folder) {
    std::erase_if(map, [&](const auto& entry) { return is_at_or_below(entry.first, folder); });
}

}  // namespace

std::set<std::string> MemoryRoot::names_below(const std::string& folder) const {
    std::set<std::string> names;
    add_names_below(answers_.files, folder, names);
    add_names_below(answers_.links, folder, names);
    add_names_below(answers_.lists, folder, names);
    return names;
}

void MemoryRoot::add_file(const std::string& path, std::string text) {
    answers_.files[path] = {AnswerStatus::ok, std::move(text), ""};
}

void MemoryRoot::add_link(const std::string& path, std::string target) {
    answers_.links[path] = {AnswerStatus::ok, std::move(target), ""};
}

void MemoryRoot::add_denied(const std::string& path) {
    answers_.files[path] = {AnswerStatus::denied, "", "permission denied"};
}

void MemoryRoot::remove(const std::string& path) {
    erase_at_or_below(answers_.files, path);
    erase_at_or_below(answers_.links, path);
    erase_at_or_below(answers_.lists, path);
    erase_at_or_below(answers_.existence, path);
}

CommandResult MemoryRoot::run(const std::vector<std::string>& argv, const CommandOptions&) {
    const auto found = answers_.commands.find(argv);
    if (found != answers_.commands.end())
        return found->second;
    CommandResult result;
    result.reason = kNotAsked;
    return result;
}

std::optional<std::string> MemoryRoot::lookup(const std::string& key,
                                              const std::function<std::optional<std::string>()>&) {
    const auto found = answers_.lookups.find(key);
    return found == answers_.lookups.end() ? std::nullopt : found->second;
}

TextAnswer MemoryRoot::answer_read(const std::string& path, std::size_t limit) {
    if (!is_root_path(path))
        return {};
    const auto found = answers_.files.find(path);
    if (found == answers_.files.end())
        return answers_.only_asked ? TextAnswer{AnswerStatus::failed, "", kNotAsked} : TextAnswer{};
    if (found->second.status == AnswerStatus::ok && found->second.text.size() > limit)
        return {AnswerStatus::failed, "", fmt::format("larger than {} bytes", limit)};
    return found->second;
}

TextAnswer MemoryRoot::answer_read_part(const std::string& path, std::size_t offset, std::size_t size) {
    TextAnswer whole = answer_read(path, std::string::npos);
    whole.text = offset < whole.text.size() ? whole.text.substr(offset, size) : "";
    return whole;
}

ListAnswer MemoryRoot::answer_list(const std::string& path) {
    if (!is_root_path(path))
        return {};
    const auto found = answers_.lists.find(path);
    if (found != answers_.lists.end())
        return found->second;
    if (answers_.only_asked)
        return {AnswerStatus::failed, {}, kNotAsked};
    const auto names = names_below(path);
    if (names.empty())
        return {};
    return {AnswerStatus::ok, {names.begin(), names.end()}, ""};
}

TextAnswer MemoryRoot::answer_link(const std::string& path) {
    if (!is_root_path(path))
        return {};
    const auto found = answers_.links.find(path);
    if (found != answers_.links.end())
        return found->second;
    return answers_.only_asked ? TextAnswer{AnswerStatus::failed, "", kNotAsked} : TextAnswer{};
}

AnswerStatus MemoryRoot::answer_exists(const std::string& path) {
    if (!is_root_path(path))
        return AnswerStatus::absent;
    if (const auto found = answers_.existence.find(path); found != answers_.existence.end())
        return found->second;
    // What was read or lies on the way to it exists.
    if (const auto found = answers_.files.find(path); found != answers_.files.end())
        return found->second.status == AnswerStatus::absent ? AnswerStatus::absent : AnswerStatus::ok;
    const auto link = answers_.links.find(path);
    if ((link != answers_.links.end() && link->second.status == AnswerStatus::ok) || !names_below(path).empty())
        return AnswerStatus::ok;
    return answers_.only_asked ? AnswerStatus::failed : AnswerStatus::absent;
}

}  // namespace gpuadapt

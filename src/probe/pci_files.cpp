// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_files.hpp"

#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <utility>

#include <fmt/format.h>

namespace gpuadapt {

void UnreadFiles::add(const std::string& path, const std::string& name, const std::string& reason) {
    Kind& kind = kinds_[{name, reason}];
    if (kind.count == 0)
        kind.first_path = path;
    if (std::exchange(kind.last_path, path) != path)
        ++kind.count;
}

void UnreadFiles::note(Root& root, std::size_t devices) const {
    for (const auto& [key, kind] : kinds_) {
        const auto& [name, reason] = key;
        if (kind.count == 1)
            root.note_unread(kind.first_path, reason);
        else
            root.note_unread("/sys/bus/pci/devices/*/" + name, fmt::format("{}: {} of {} device{}", reason, kind.count,
                                                                           devices, devices == 1 ? "" : "s"));
    }
}

DeviceFiles::DeviceFiles(Root& root, UnreadFiles& unread, const std::string& address)
    : root_(root), unread_(unread), address_(address), folder_("/sys/bus/pci/devices/" + address) {}

std::string DeviceFiles::path(const std::string& name) const {
    return name.empty() ? folder_ : folder_ + "/" + name;
}

std::optional<std::string> DeviceFiles::take(const std::string& name, TextAnswer answer) {
    switch (answer.status) {
        case AnswerStatus::ok:
            return std::move(answer.text);
        case AnswerStatus::absent:
            return std::nullopt;
        case AnswerStatus::timed_out:
            unread_.time_out(name);
            break;
        default:
            break;
    }
    if (answer.reason.empty())
        answer.reason = answer.status == AnswerStatus::denied ? "permission denied" : "no answer";
    note(name, answer.reason);
    return std::nullopt;
}

std::optional<std::string> DeviceFiles::text(const std::string& name) {
    return take(name, root_.answer_read(path(name), kReadLimit));
}

std::optional<std::string> DeviceFiles::part(const std::string& name, std::size_t offset, std::size_t size) {
    return take(name, root_.answer_read_part(path(name), offset, size));
}

std::optional<std::string> DeviceFiles::line(const std::string& name) {
    const auto whole = text(name);
    const std::string_view first = whole ? trim(std::string_view(*whole).substr(0, whole->find('\n'))) : "";
    return first.empty() ? std::nullopt : std::optional(clean_utf8(first));
}

std::optional<int> DeviceFiles::number(const std::string& name) {
    const auto first = line(name);
    return first ? parse_int(*first) : std::nullopt;
}

std::optional<std::string> DeviceFiles::link(const std::string& name) {
    return take(name, root_.answer_link(path(name)));
}

bool DeviceFiles::is_given_up(const std::string& name) {
    if (!unread_.has_timed_out(name))
        return false;
    note(name, "not asked: that of another device has hung");
    return true;
}

}  // namespace gpuadapt

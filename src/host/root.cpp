// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/root.hpp>

#include <algorithm>
#include <string_view>

namespace gpuadapt {

namespace {

std::string reason_of(AnswerStatus status, const std::string& reason) {
    if (!reason.empty())
        return reason;
    return status == AnswerStatus::denied ? "permission denied" : "no answer";
}

/// A folder's name may be given with a '/' at its end; answers are kept without.
std::string without_end(const std::string& path) {
    const std::size_t last = path.find_last_not_of('/');
    return last == std::string::npos ? path.substr(0, 1) : path.substr(0, last + 1);
}

bool is_noted(AnswerStatus status) {
    return status != AnswerStatus::ok && status != AnswerStatus::absent;
}

}  // namespace

bool is_root_path(const std::string& path) {
    if (!path.starts_with('/') || path.find('\0') != std::string::npos)
        return false;
    return path.find("/../") == std::string::npos && !path.ends_with("/..");
}

bool Root::at_once(const std::function<void(Root&)>& /*work*/) {
    return false;
}

void Root::note_unread(const std::string& path, const std::string& reason) {
    Unread entry{clean_utf8(path), clean_utf8(reason)};
    if (std::find(unread_.begin(), unread_.end(), entry) == unread_.end())
        unread_.push_back(std::move(entry));
}

std::optional<std::string> Root::read(const std::string& path, std::size_t limit) {
    TextAnswer answer = answer_read(path, limit);
    if (is_noted(answer.status))
        note_unread(path, reason_of(answer.status, answer.reason));
    if (answer.status != AnswerStatus::ok)
        return std::nullopt;
    return std::move(answer.text);
}

std::optional<std::string> Root::read_part(const std::string& path, std::size_t offset, std::size_t size) {
    TextAnswer answer = answer_read_part(path, offset, size);
    if (is_noted(answer.status))
        note_unread(path, reason_of(answer.status, answer.reason));
    if (answer.status != AnswerStatus::ok)
        return std::nullopt;
    return std::move(answer.text);
}

std::optional<std::string> Root::read_line(const std::string& path) {
    const auto text = read(path);
    if (!text)
        return std::nullopt;
    const std::string_view line = trim(std::string_view(*text).substr(0, text->find('\n')));
    if (line.empty())
        return std::nullopt;
    return clean_utf8(line);
}

std::optional<std::vector<std::string>> Root::list(const std::string& path) {
    const std::string folder = without_end(path);
    ListAnswer answer = answer_list(folder);
    if (is_noted(answer.status))
        note_unread(folder, reason_of(answer.status, answer.reason));
    if (answer.status != AnswerStatus::ok)
        return std::nullopt;
    return std::move(answer.names);
}

std::optional<std::string> Root::link(const std::string& path) {
    TextAnswer answer = answer_link(path);
    if (is_noted(answer.status))
        note_unread(path, reason_of(answer.status, answer.reason));
    if (answer.status != AnswerStatus::ok)
        return std::nullopt;
    return std::move(answer.text);
}

bool Root::exists(const std::string& path) {
    const std::string place = without_end(path);
    const AnswerStatus status = answer_exists(place);
    if (is_noted(status))
        note_unread(place, reason_of(status, ""));
    return status == AnswerStatus::ok;
}

}  // namespace gpuadapt

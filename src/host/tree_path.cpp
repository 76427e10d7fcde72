// SPDX-License-Identifier: Apache-2.0
#include "host/tree_path.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <vector>

#include <fcntl.h>

namespace gpuadapt {

namespace {

TreePlace failed(int error) {
    return {Fd(), "", error};
}

}  // namespace

void push_components(std::vector<std::string>& stack, std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (!part.empty() && part != ".")
            parts.emplace_back(part);
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    }
    stack.insert(stack.end(), parts.rbegin(), parts.rend());
}

TreePlace find_in_tree(int base, const std::string& path, bool follow_last) {
    std::vector<Fd> folders;  // the way down from the base, which is not in it
    std::vector<std::string> pending;
    push_components(pending, path);
    int links = 0;
    while (!pending.empty()) {
        const std::string name = std::move(pending.back());
        pending.pop_back();
        if (name == "..") {
            if (!folders.empty())
                folders.pop_back();
            continue;
        }
        const int here = folders.empty() ? base : folders.back().get();
        std::array<char, PATH_MAX> target;
        const ssize_t length = readlinkat(here, name.c_str(), target.data(), target.size());
        if (length >= 0 && (follow_last || !pending.empty())) {
            if (++links > kMostLinks)
                return failed(ELOOP);
            const std::string_view text(target.data(), static_cast<std::size_t>(length));
            if (text.starts_with('/'))
                folders.clear();
            push_components(pending, text);
            continue;
        }
        if (pending.empty()) {
            Fd folder(fcntl(here, F_DUPFD_CLOEXEC, 3));
            if (!folder.valid())
                return failed(errno);
            return {std::move(folder), name, 0};
        }
        Fd next(openat(here, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next.valid())
            return failed(errno);
        folders.push_back(std::move(next));
    }
    Fd folder(fcntl(folders.empty() ? base : folders.back().get(), F_DUPFD_CLOEXEC, 3));
    if (!folder.valid())
        return failed(errno);
    return {std::move(folder), ".", 0};
}

}  // namespace gpuadapt

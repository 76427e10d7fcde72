// SPDX-License-Identifier: Apache-2.0
#include "host/archive_reader.hpp"
#include "host/gzip.hpp"
#include "host/tree_root.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/host/foreign_input.hpp>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace gpuadapt {

namespace {

constexpr std::size_t kMostEntries = 200;  // of a folder, or of an archive of texts
constexpr const char* kRecordingMark = "gpuadapt-recording";

/// What libarchive would open, so that a text is not taken for a damaged archive.
bool is_archive(std::string_view head) {
    constexpr std::size_t kTarMagic = 257;
    for (const std::string_view magic : {std::string_view("\x1f\x8b", 2), std::string_view("BZh", 3),
                                         std::string_view("\xfd\x37zXZ\0", 6), std::string_view("\x28\xb5\x2f\xfd", 4)})
        if (head.starts_with(magic))
            return true;
    return head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar");
}

std::string last_component_of(const std::string& path) {
    const std::size_t end = path.find_last_not_of('/');
    if (end == std::string::npos)
        return path;
    const std::size_t slash = path.rfind('/', end);
    return path.substr(slash == std::string::npos ? 0 : slash + 1,
                       end - (slash == std::string::npos ? 0 : slash + 1) + 1);
}

ForeignInput text_input(const std::string& name, std::string text) {
    ForeignInput input;
    input.name = clean_utf8(name);
    input.bytes = text.size();
    input.text = std::move(text);
    return input;
}

ForeignInput root_input(const std::string& name, std::unique_ptr<Root> root, bool packed, std::size_t bytes) {
    ForeignInput input;
    input.bytes = bytes;
    input.name = clean_utf8(name);
    input.root = std::move(root);
    input.packed = packed;
    return input;
}

std::size_t bytes_of(const Answers& answers) {
    return std::accumulate(answers.files.begin(), answers.files.end(), std::size_t{0},
                           [](std::size_t sum, const auto& file) { return sum + file.second.text.size(); });
}

void fail_above_most_entries(std::size_t entries, const std::string& path) {
    if (entries > kMostEntries)
        fail_input(path, Message(fmt::format("more than {} entries; give the files that matter", kMostEntries),
                                 fmt::format("条目超过 {} 个；请只提供需要的文件", kMostEntries)));
}

std::vector<ForeignInput> from_archive(const std::string& bytes, const std::string& path,
                                       const RecordingLimits& limits) {
    const ArchiveRules rules = {true, true, true, {"a damaged archive", "归档文件已损坏"}};
    if (const auto damage = gzip_damage(bytes, largest_archive(limits)))
        fail_damaged(path, rules, *damage);
    ArchiveContents contents = read_archive(bytes, path, limits, rules);
    const std::string name = last_component_of(path);
    std::vector<ForeignInput> inputs;
    if (contents.files.contains(kRecordingMark)) {
        // Once more, by its own and stricter rules.
        Answers answers = unpack_recording(bytes, path, limits);
        const std::size_t size = bytes_of(answers);
        inputs.push_back(root_input(name, std::make_unique<MemoryRoot>(std::move(answers)), false, size));
        return inputs;
    }
    if (auto tree = find_tree(contents, path)) {
        const std::size_t size = bytes_of(*tree);
        inputs.push_back(root_input(name, std::make_unique<TreeRoot>(std::move(*tree)), true, size));
        return inputs;
    }
    fail_above_most_entries(contents.files.size(), path);
    for (auto& [member, text] : contents.files)
        inputs.push_back(text_input(fmt::format("{}: {}", name, member), std::move(text)));
    return inputs;
}

/// What a folder may be for itself: our recording, or a machine's tree.
bool holds_machine(const std::string& path) {
    struct stat info {};
    for (const char* inside : {kRecordingMark, "sys"})
        if (lstat((path + "/" + inside).c_str(), &info) == 0 && !S_ISLNK(info.st_mode))
            return true;
    return false;
}

std::vector<ForeignInput> from_folder(const std::string& path, const RecordingLimits& limits) {
    const Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.valid())
        fail_input(path, system_message());
    std::vector<std::string> names = names_in(folder, path);
    std::sort(names.begin(), names.end());
    fail_above_most_entries(names.size(), path);
    std::vector<ForeignInput> inputs;
    std::size_t total = 0;
    for (const std::string& name : names) {
        const std::string entry = fmt::format("{}/{}", path, name);
        struct stat info {};
        if (fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
            fail_input(entry, system_message());
        if (S_ISLNK(info.st_mode))
            fail_input(entry, Message("a link does not belong into a folder that was sent", "不允许有链接"));
        if (S_ISREG(info.st_mode) || (S_ISDIR(info.st_mode) && holds_machine(entry)))
            for (ForeignInput& input : read_foreign(entry, limits)) {
                total += input.bytes;
                if (total > limits.total_bytes)
                    fail_input(entry, Message(fmt::format("more than {} bytes in all", limits.total_bytes),
                                              fmt::format("总计超过 {} 字节", limits.total_bytes)));
                inputs.push_back(std::move(input));
            }
    }
    return inputs;
}

}  // namespace

std::vector<ForeignInput> read_foreign(const std::string& path, const RecordingLimits& limits) {
    struct stat info {};
    // Not opened to find out what it is: a pipe can be opened once only.
    if (path != "-" && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
        if (!holds_machine(path))
            return from_folder(path, limits);
        std::vector<ForeignInput> inputs;
        inputs.push_back(root_input(last_component_of(path), open_root(path), false, 0));
        return inputs;
    }
    return unpack_foreign(read_input_file(path, limits.total_bytes), path, limits);
}

std::vector<ForeignInput> unpack_foreign(std::string bytes, const std::string& name, const RecordingLimits& limits) {
    if (is_archive(std::string_view(bytes).substr(0, 512)))
        return from_archive(bytes, name, limits);
    if (bytes.size() > kForeignTextLimit)
        fail_input(name, Message(fmt::format("larger than {} bytes", kForeignTextLimit),
                                 fmt::format("超过 {} 字节", kForeignTextLimit)));
    std::vector<ForeignInput> inputs;
    inputs.push_back(text_input(last_component_of(name), std::move(bytes)));
    return inputs;
}

}  // namespace gpuadapt

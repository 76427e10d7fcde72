// SPDX-License-Identifier: Apache-2.0
#include "host/archive_reader.hpp"

#include "host/folder.hpp"

#include <gpuadapt/core/error.hpp>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace gpuadapt {

namespace {

constexpr int kMostFolders = 64;  // one inside the other

struct ArchiveReadFree {
    void operator()(archive* value) const { archive_read_free(value); }
};

Message too_large(std::size_t limit) {
    return {fmt::format("larger than {} bytes", limit), fmt::format("超过 {} 字节", limit)};
}

constexpr Text kNoLinks = {"a link does not belong into a recording", "记录文件中不允许有链接"};
constexpr Text kPlainFilesOnly = {"only plain files belong into a recording", "记录文件中只允许普通文件"};

/// Takes members one by one and keeps to the limits.
class Collector {
  public:
    Collector(const std::string& file, const RecordingLimits& limits, const ArchiveRules& rules)
        : file_(file), limits_(limits), rules_(rules) {}

    /// Counts a member of any kind and says under which name it is kept; "" for the top folder.
    std::string begin(std::string_view name) {
        if (++count_ > limits_.members)
            fail_input(file_, Message(fmt::format("more than {} members", limits_.members),
                                      fmt::format("成员超过 {} 个", limits_.members)));
        total_ += name.size();  // kept as well, and up to a MiB each
        if (total_ > limits_.total_bytes)
            fail_input(file_, too_large(limits_.total_bytes));
        std::string_view clean = name;
        while (clean.starts_with("./"))
            clean.remove_prefix(2);
        while (clean.ends_with('/') && clean.size() > 1)
            clean.remove_suffix(1);
        if (clean == ".")
            return "";
        const std::string path = "/" + std::string(clean);
        if (clean.empty() || clean.starts_with('/') || !is_root_path(path))
            fail_member(name, Message("its name leads out of the recording", "其路径超出记录文件"));
        return std::string(clean);
    }

    void add(const std::string& member, std::string_view piece) {
        std::string& bytes = contents_.files[member];
        if (piece.size() > limits_.member_bytes - bytes.size())
            fail_member(member, too_large(limits_.member_bytes));
        total_ += piece.size();
        if (total_ > limits_.total_bytes)
            fail_member(member, too_large(limits_.total_bytes));
        bytes.append(piece);
    }

    /// `claimed` is the size that its header gives; add() holds it to the limits whatever that says.
    void begin_file(const std::string& member, std::int64_t claimed) {
        if (claimed > 0 && static_cast<std::uint64_t>(claimed) > limits_.member_bytes)
            fail_member(member, too_large(limits_.member_bytes));
        const auto [place, is_new] = contents_.files.try_emplace(member);
        if (is_new)
            return;
        if (!rules_.repeats)
            fail_member(member, Message("is in it twice", "出现两次"));
        total_ -= place->second.size();
        place->second.clear();
    }

    void add_link(const std::string& member, const std::string& target) {
        if (!rules_.links || member.empty())
            fail_member(member, Message(kNoLinks));
        total_ += target.size();
        contents_.links[member] = target;
    }

    /// A second name of a file that came before.
    void add_hard_link(const std::string& member, const std::string& other) {
        const auto found = contents_.files.find(begin(other));
        if (!rules_.links || member.empty() || found == contents_.files.end())
            fail_member(member, Message(kNoLinks));
        const std::string bytes = found->second;
        begin_file(member, static_cast<std::int64_t>(bytes.size()));
        add(member, bytes);
    }

    [[noreturn]] void fail_member(std::string_view member, const Message& what) const {
        fail_input(file_, Message(fmt::format("{}: {}", member, what.en), fmt::format("{}：{}", member, what.zh)));
    }

    [[nodiscard]] ArchiveContents take() { return std::move(contents_); }

  private:
    std::string file_;
    RecordingLimits limits_;
    ArchiveRules rules_;
    ArchiveContents contents_;
    std::size_t count_ = 0;
    std::size_t total_ = 0;
};

const char* archive_message(archive* reader) {
    const char* text = archive_error_string(reader);
    return text != nullptr ? text : "damaged";
}

[[noreturn]] void fail_archive(archive* reader, const std::string& file, const ArchiveRules& rules) {
    fail_damaged(file, rules, Message::same(archive_message(reader)));
}

void read_entry(archive* reader, archive_entry* entry, Collector& collector) {
    const char* raw_name = archive_entry_pathname(entry);
    const std::string name = raw_name != nullptr ? raw_name : "";
    const std::string member = collector.begin(name);
    if (const char* target = archive_entry_hardlink(entry))
        return collector.add_hard_link(member, target);
    if (const char* target = archive_entry_symlink(entry))
        return collector.add_link(member, target);
    if (archive_entry_filetype(entry) == AE_IFDIR)
        return;
    if (archive_entry_filetype(entry) != AE_IFREG || member.empty())
        collector.fail_member(name, Message(kPlainFilesOnly));
    collector.begin_file(member, archive_entry_size(entry));
    std::vector<char> buffer(std::size_t{1} << 16);
    while (true) {
        const la_ssize_t got = archive_read_data(reader, buffer.data(), buffer.size());
        if (got == 0)
            return;
        if (got < 0)
            collector.fail_member(name, Message::same(archive_message(reader)));
        collector.add(member, {buffer.data(), static_cast<std::size_t>(got)});
    }
}

void read_plain_file(const Fd& fd, std::int64_t size, const std::string& member, Collector& collector) {
    collector.begin_file(member, size);
    std::vector<char> buffer(std::size_t{1} << 16);
    while (true) {
        const ssize_t got = read_some(fd, buffer.data(), buffer.size());
        if (got == 0)
            return;
        if (got < 0)
            collector.fail_member(member, system_message());
        collector.add(member, {buffer.data(), static_cast<std::size_t>(got)});
    }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMostFolders
void read_folder(const Fd& folder, const std::string& prefix, int depth, const std::string& file,
                 Collector& collector) {
    if (depth > kMostFolders)
        fail_input(file, Message(fmt::format("{}: too many folders inside one another", prefix),
                                 fmt::format("{}：目录嵌套过深", prefix)));
    for (const std::string& name : names_in(folder, file)) {
        const std::string member = collector.begin(prefix + name);
        const Fd fd(openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        struct stat info {};
        if (!fd.valid() && errno == ELOOP)
            collector.fail_member(member, Message(kNoLinks));
        if (!fd.valid() || fstat(fd.get(), &info) != 0)
            collector.fail_member(member, system_message());
        if (S_ISDIR(info.st_mode))
            read_folder(fd, member + "/", depth + 1, file, collector);
        else if (S_ISREG(info.st_mode))
            read_plain_file(fd, info.st_size, member, collector);
        else
            collector.fail_member(member, Message(kPlainFilesOnly));
    }
}

}  // namespace

void fail_input(const std::string& file, const Message& what) {
    throw input_error(
        Message(fmt::format("{}: {}", file, clean_utf8(what.en)), fmt::format("{}：{}", file, clean_utf8(what.zh))));
}

void fail_damaged(const std::string& file, const ArchiveRules& rules, const Message& why) {
    fail_input(file,
               Message(fmt::format("{}: {}", rules.wrong.en, why.en), fmt::format("{}：{}", rules.wrong.zh, why.zh)));
}

Message system_message() {
    return Message::same(std::generic_category().message(errno));
}

std::vector<std::string> names_in(const Fd& folder, const std::string& file) {
    std::vector<std::string> names;
    errno = read_names(Fd(openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), names);
    if (errno != 0)
        fail_input(file, system_message());
    return names;
}

ArchiveContents read_archive(std::string_view bytes, const std::string& file, const RecordingLimits& limits,
                             const ArchiveRules& rules) {
    const std::unique_ptr<archive, ArchiveReadFree> reader(archive_read_new());
    // Only what is needed: fewer decoders for a hostile file to try.
    archive_read_support_format_tar(reader.get());
    archive_read_support_filter_gzip(reader.get());
    if (rules.every_filter) {
        archive_read_support_filter_bzip2(reader.get());
        archive_read_support_filter_xz(reader.get());
        archive_read_support_filter_zstd(reader.get());
    }
    if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
        fail_archive(reader.get(), file, rules);
    Collector collector(file, limits, rules);
    while (true) {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(reader.get(), &entry);
        if (status == ARCHIVE_EOF)
            return collector.take();
        if (status < ARCHIVE_WARN)
            fail_archive(reader.get(), file, rules);
        read_entry(reader.get(), entry, collector);
    }
}

Members read_folder(const Fd& folder, const std::string& file, const RecordingLimits& limits) {
    Collector collector(file, limits, {});
    read_folder(folder, "", 0, file, collector);
    return collector.take().files;
}

}  // namespace gpuadapt

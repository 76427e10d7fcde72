// SPDX-License-Identifier: Apache-2.0
#include "host/fd.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/files.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace gpuadapt {

namespace {

std::string message_of(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void throw_write_error(const std::string& path, int error) {
    const auto text = [&](const Text& way_out) {
        const std::string cause = message_of(error);
        return Message(fmt::format("cannot write {}: {}; {}", path, cause, way_out.en),
                       fmt::format("无法写入 {}：{}；{}", path, cause, way_out.zh));
    };
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            throw tool_error(text({"make room there or name a file on another disk", "请清理空间或换一个磁盘"}));
        case EACCES:
        case EPERM:
            throw input_error(text({"name a file in a folder that you may write to", "请换到有写权限的目录"}));
        case EROFS:
            throw input_error(text({"name a file on a file system that is not read-only", "请换到非只读的文件系统"}));
        case ENOENT:
        case ENOTDIR:
            throw input_error(text({"make the folder first", "请先创建目录"}));
        case EISDIR:
            throw input_error(text({"name a file, not a folder", "请指定文件而不是目录"}));
        case ENAMETOOLONG:
        case ELOOP:
        case EBADF:
            throw input_error(text({"name another file", "请换一个文件名"}));
        default:
            throw tool_error(text({"name a file on another disk", "请换一个磁盘"}));
    }
}

[[noreturn]] void throw_read_error(const std::string& name, int error) {
    throw input_error(Message(fmt::format("cannot read {}: {}", name, message_of(error)),
                              fmt::format("无法读取 {}：{}", name, message_of(error))));
}

/// 0 or an errno.
int write_all(const Fd& fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd.get(), bytes.data(), std::min<std::size_t>(bytes.size(), 1U << 30));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return errno;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return 0;
}

/// The descriptor of ours that a path names. Opened by that name, a file behind it would be written from its beginning
/// on, and a rename would put the file beside the one that the descriptor stands for.
std::optional<int> descriptor_of(std::string_view path) {
    constexpr std::pair<std::string_view, int> kNames[] = {
        {"-", STDOUT_FILENO}, {"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}};
    for (const auto& [name, fd] : kNames)
        if (path == name)
            return fd;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder))
            continue;
        int fd = -1;
        const std::string_view digits = path.substr(folder.size());
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), fd);
        if (error == std::errc{} && end == digits.data() + digits.size() && fd >= 0)
            return fd;
    }
    return std::nullopt;
}

std::string name_of(int fd, const std::string& path) {
    return fd == STDOUT_FILENO ? "stdout" : path;
}

/// Where the file really is, and whether it can be replaced by renaming.
struct Target {
    std::string path;
    bool in_place = false;       ///< a device, a pipe, or what another process has open
    std::optional<mode_t> mode;  ///< of the file that is there
    uid_t owner = 0;
    gid_t group = 0;
};

Target find_target(const std::string& path) {
    Target target{path, path.starts_with("/proc/"), std::nullopt, 0, 0};
    if (target.in_place)
        return target;
    struct stat info {};
    if (path.empty())
        throw_write_error("''", ENOENT);
    if (stat(path.c_str(), &info) != 0) {
        if (errno != ENOENT)
            throw_write_error(path, errno);
        // A link that points to nothing yet: write through it.
        target.in_place = lstat(path.c_str(), &info) == 0;
        return target;
    }
    if (S_ISDIR(info.st_mode))
        throw_write_error(path, EISDIR);
    target.in_place = !S_ISREG(info.st_mode);
    if (!target.in_place) {
        if (char* real = realpath(path.c_str(), nullptr)) {
            target.path = real;
            std::free(real);  // NOLINT(cppcoreguidelines-no-malloc)
        }
        target.mode = info.st_mode & 07777;
        target.owner = info.st_uid;
        target.group = info.st_gid;
    }
    return target;
}

/// A new file beside the target, removed again unless it was renamed.
class Draft {
  public:
    explicit Draft(const Target& target) {
        const std::size_t slash = target.path.rfind('/');
        const std::string folder = slash == std::string::npos ? "" : target.path.substr(0, slash + 1);
        const std::string name = target.path.substr(slash == std::string::npos ? 0 : slash + 1);
        // What replaces a private file is private from its first byte on; it gets the old mode when it is whole.
        const mode_t mode = target.mode ? 0600 : 0666;
        std::random_device random;
        for (int attempt = 0; attempt < 100 && !fd_.valid(); ++attempt) {
            // The name may already be as long as a name can be.
            path_ = fmt::format("{}.{}.{:08x}", folder, name.substr(0, NAME_MAX - 16), random());
            fd_ = Fd(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
            if (!fd_.valid() && errno != EEXIST)
                throw_write_error(target.path, errno);
        }
        if (!fd_.valid())
            throw_write_error(target.path, EEXIST);
    }
    ~Draft() {
        if (!path_.empty())
            unlink(path_.c_str());
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    [[nodiscard]] const Fd& fd() const { return fd_; }
    void rename_to(const Target& target) {
        if (rename(path_.c_str(), target.path.c_str()) != 0)
            throw_write_error(target.path, errno);
        path_.clear();
    }

  private:
    std::string path_;
    Fd fd_;
};

void sync_folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const Fd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.valid())
        fsync(fd.get());  // not every file system can; the file itself is already safe
}

void write_in_place(const std::string& path, std::string_view bytes) {
    const Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
    if (!fd.valid())
        throw_write_error(path, errno);
    if (const int error = write_all(fd, bytes))
        throw_write_error(path, error);
}

std::string read_fd(const Fd& fd, const std::string& name, std::size_t limit) {
    std::string bytes;
    std::vector<char> buffer(std::size_t{1} << 16);
    while (true) {
        const ssize_t got = read_some(fd, buffer.data(), buffer.size());
        if (got < 0)
            throw_read_error(name, errno);
        if (got == 0)
            return bytes;
        if (static_cast<std::size_t>(got) > limit - bytes.size())
            throw input_error(Message(fmt::format("{} is larger than {} bytes", name, limit),
                                      fmt::format("{} 超过 {} 字节", name, limit)));
        bytes.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

std::string read_input_file(const std::string& path, std::size_t limit) {
    if (path == "-")
        return read_fd(Fd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), "stdin", limit);
    const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd.valid())
        throw_read_error(path, errno);
    return read_fd(fd, path, limit);
}

void write_output_file(const std::string& path, std::string_view bytes) {
    if (const auto descriptor = descriptor_of(path)) {
        const Fd fd(fcntl(*descriptor, F_DUPFD_CLOEXEC, 3));
        if (const int error = fd.valid() ? write_all(fd, bytes) : errno)
            throw_write_error(name_of(*descriptor, path), error);
        return;
    }
    const Target target = find_target(path);
    if (target.in_place) {
        write_in_place(path, bytes);
        return;
    }
    Draft draft(target);
    if (const int error = write_all(draft.fd(), bytes))
        throw_write_error(path, error);
    if (target.mode) {
        if (fchown(draft.fd().get(), target.owner, target.group) != 0)
            errno = 0;  // only root can give files away; the contents matter more
        fchmod(draft.fd().get(), *target.mode);
    }
    if (fsync(draft.fd().get()) != 0)
        throw_write_error(path, errno);
    draft.rename_to(target);
    sync_folder_of(target.path);
}

void check_output_file(const std::string& path) {
    if (const auto descriptor = descriptor_of(path)) {
        const int flags = fcntl(*descriptor, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
            throw_write_error(name_of(*descriptor, path), EBADF);
        return;
    }
    const Target target = find_target(path);
    if (!target.in_place) {
        const Draft draft(target);
        return;
    }
    if (access(path.c_str(), W_OK) != 0 && errno != ENOENT)
        throw_write_error(path, errno);
}

}  // namespace gpuadapt

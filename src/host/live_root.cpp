// SPDX-License-Identifier: Apache-2.0
#include "host/fd.hpp"
#include "host/folder.hpp"
#include "host/job_runner.hpp"
#include "host/tree_path.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/environment.hpp>
#include <gpuadapt/host/live_root.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace gpuadapt {

namespace {

AnswerStatus status_of(int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR:
        case EISDIR:
        case EINVAL:  // /sys/class/net/lo/speed: "there is no such value"
        case ENODEV:
        case ENXIO:
        case ENODATA:
        case EOPNOTSUPP:
        case ENOSYS:
        case ENOTCONN:
        case ENAMETOOLONG:
            return AnswerStatus::absent;
        case EACCES:
        case EPERM:
            return AnswerStatus::denied;
        case ETIMEDOUT:
            return AnswerStatus::timed_out;
        default:
            return AnswerStatus::failed;
    }
}

std::string reason_of(int error) {
    const AnswerStatus status = status_of(error);
    if (status == AnswerStatus::absent)
        return "";
    return status == AnswerStatus::denied ? "permission denied" : std::generic_category().message(error);
}

TextAnswer failed_text(int error) {
    return {status_of(error), "", reason_of(error)};
}

/// A folder and a path in it, however the base wants links to be followed.
struct Base {
    Fd folder;
    bool is_whole_machine = true;
    std::optional<std::string> home;  ///< of the whole machine
    Environment environment;          ///< of the whole machine

    /// As the kernel knows it.
    [[nodiscard]] std::string place(const std::string& path) const {
        return home && path.starts_with(kHomeFolder) ? *home + path.substr(kHomeFolder.size() - 1) : path;
    }

    [[nodiscard]] Fd open(const std::string& path, int flags) const {
        // O_NONBLOCK: opening a pipe must not wait for its other end.
        const int all = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
        if (is_whole_machine)
            return Fd(::open(place(path).c_str(), all));
        const TreePlace place = find_in_tree(folder.get(), path, true);
        if (place.error == 0)
            return Fd(openat(place.folder.get(), place.name.c_str(), all | O_NOFOLLOW));
        errno = place.error;
        return {};
    }
};

/// `ok` for a file that can be read from, else why not.
TextAnswer check_file(const Fd& fd) {
    struct stat info {};
    if (!fd.valid() || fstat(fd.get(), &info) != 0)
        return failed_text(errno);
    if (S_ISDIR(info.st_mode))
        return {};
    if (!S_ISREG(info.st_mode))
        return {AnswerStatus::failed, "", "not a plain file"};
    return {AnswerStatus::ok, "", ""};
}

TextAnswer read_all(const Fd& fd, std::size_t limit) {
    // st_size is 0 in /proc and 4096 in /sys, whatever is in the file: read until the end.
    TextAnswer answer{AnswerStatus::ok, {}, ""};
    std::size_t used = 0;
    while (true) {
        if (answer.text.size() == used)
            answer.text.resize(std::min(limit + 1, std::max<std::size_t>(4097, used * 2)));
        const ssize_t got = read_some(fd, answer.text.data() + used, answer.text.size() - used);
        if (got < 0)
            return failed_text(errno);
        if (got == 0)
            break;
        used += static_cast<std::size_t>(got);
        if (used > limit)
            return {AnswerStatus::failed, "", fmt::format("larger than {} bytes", limit)};
    }
    answer.text.resize(used);
    return answer;
}

TextAnswer read_file(const Base& base, const std::string& path, std::size_t limit) {
    const Fd fd = base.open(path, O_RDONLY);
    const TextAnswer problem = check_file(fd);
    return problem.status == AnswerStatus::ok ? read_all(fd, limit) : problem;
}

TextAnswer read_part_of(const Fd& fd, std::size_t offset, std::size_t size) {
    TextAnswer answer = check_file(fd);
    if (answer.status != AnswerStatus::ok)
        return answer;
    answer.text.resize(size);
    std::size_t used = 0;
    while (used < size) {
        const ssize_t got = pread(fd.get(), answer.text.data() + used, size - used, static_cast<off_t>(offset + used));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed_text(errno);
        if (got == 0)
            break;
        used += static_cast<std::size_t>(got);
    }
    answer.text.resize(used);
    return answer;
}

ListAnswer list_folder(const Base& base, const std::string& path) {
    ListAnswer answer{AnswerStatus::ok, {}, ""};
    if (const int error = read_names(base.open(path, O_RDONLY | O_DIRECTORY), answer.names))
        return {status_of(error), {}, reason_of(error)};
    std::sort(answer.names.begin(), answer.names.end());
    return answer;
}

TextAnswer read_link(const Base& base, const std::string& path) {
    std::array<char, PATH_MAX> target;
    ssize_t length = -1;
    if (base.is_whole_machine) {
        length = readlink(base.place(path).c_str(), target.data(), target.size());
    } else {
        const TreePlace place = find_in_tree(base.folder.get(), path, false);
        if (place.error != 0)
            return failed_text(place.error);
        length = readlinkat(place.folder.get(), place.name.c_str(), target.data(), target.size());
    }
    if (length < 0)
        return failed_text(errno);
    return {AnswerStatus::ok, std::string(target.data(), static_cast<std::size_t>(length)), ""};
}

TextAnswer look(const Base& base, const std::string& path) {
    struct stat info {};
    if (base.is_whole_machine)
        return stat(base.place(path).c_str(), &info) == 0 ? TextAnswer{AnswerStatus::ok, "", ""} : failed_text(errno);
    const TreePlace place = find_in_tree(base.folder.get(), path, true);
    if (place.error != 0)
        return failed_text(place.error);
    return fstatat(place.folder.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0
               ? TextAnswer{AnswerStatus::ok, "", ""}
               : failed_text(errno);
}

/// `work` wants a tool, which has a time limit of its own.
struct NeedsATool {};

/// The same machine, asked by the thread that is in it.
class DirectRoot : public Root {
  public:
    explicit DirectRoot(std::shared_ptr<const Base> base) : base_(std::move(base)) {}

    [[nodiscard]] CommandResult run(const std::vector<std::string>&, const CommandOptions&) override {
        throw NeedsATool{};
    }
    [[nodiscard]] Environment environment() override { return base_->environment; }
    [[nodiscard]] std::optional<std::string> lookup(
        const std::string&, const std::function<std::optional<std::string>()>& compute) override {
        return compute();
    }
    [[nodiscard]] TextAnswer answer_read(const std::string& path, std::size_t limit) override {
        return is_root_path(path) ? read_file(*base_, path, limit) : TextAnswer{};
    }
    [[nodiscard]] TextAnswer answer_read_part(const std::string& path, std::size_t offset, std::size_t size) override {
        if (!is_root_path(path))
            return {};
        if (path != parts_path_ || !parts_.valid()) {  // one part after the other is read of a file
            parts_path_ = path;
            parts_.close();
            parts_ = base_->open(path, O_RDONLY);
        }
        return read_part_of(parts_, offset, size);
    }
    [[nodiscard]] ListAnswer answer_list(const std::string& path) override {
        return is_root_path(path) ? list_folder(*base_, path) : ListAnswer{};
    }
    [[nodiscard]] TextAnswer answer_link(const std::string& path) override {
        return is_root_path(path) ? read_link(*base_, path) : TextAnswer{};
    }
    [[nodiscard]] AnswerStatus answer_exists(const std::string& path) override {
        return is_root_path(path) ? look(*base_, path).status : AnswerStatus::absent;
    }

  private:
    std::shared_ptr<const Base> base_;
    Fd parts_;  ///< the file of which a part was read last
    std::string parts_path_;
};

}  // namespace

struct LiveRoot::State {
    std::shared_ptr<Base> base = std::make_shared<Base>();  // shared with a read that hangs
    std::chrono::milliseconds limit{};
    JobRunner runner;

    /// `question(base)` in the runner's thread.
    template <typename Answer>
    Answer ask(const std::string& path, std::function<Answer(const Base&)> question) {
        if (!is_root_path(path))
            return Answer{};
        auto answer = std::make_shared<Answer>();
        const bool done =
            runner.run([base = base, answer, question = std::move(question)] { *answer = question(*base); }, limit);
        if (done)
            return std::move(*answer);
        Answer none{};  // the one above still belongs to the thread that hangs
        none.status = AnswerStatus::timed_out;
        none.reason = fmt::format("no answer after {} ms", limit.count());
        return none;
    }
};

LiveRoot::LiveRoot(const std::string& base, std::chrono::milliseconds read_limit) : state_(std::make_unique<State>()) {
    state_->limit = read_limit;
    state_->base->is_whole_machine = base == "/";
    if (state_->base->is_whole_machine) {
        state_->base->home = home_folder();
        state_->base->environment = tuning_environment();
    }
    state_->base->folder = Fd(open(base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!state_->base->folder.valid()) {
        const std::string cause = std::generic_category().message(errno);
        throw input_error(
            Message(fmt::format("{}: {}; give a folder with a machine's /sys and /proc in it", base, cause),
                    fmt::format("{}：{}；请指定含有机器 /sys 和 /proc 的目录", base, cause)));
    }
}

LiveRoot::~LiveRoot() = default;

CommandResult LiveRoot::run(const std::vector<std::string>& argv, const CommandOptions& options) {
    if (state_->base->is_whole_machine)
        return run_command(argv, options);
    CommandResult result;
    result.reason = "a copied tree has no tools";
    return result;
}

Environment LiveRoot::environment() {
    return state_->base->environment;
}

std::optional<std::string> LiveRoot::lookup(const std::string&,
                                            const std::function<std::optional<std::string>()>& compute) {
    return compute();
}

TextAnswer LiveRoot::answer_read(const std::string& path, std::size_t limit) {
    return state_->ask<TextAnswer>(path, [path, limit](const Base& base) { return read_file(base, path, limit); });
}

TextAnswer LiveRoot::answer_read_part(const std::string& path, std::size_t offset, std::size_t size) {
    return state_->ask<TextAnswer>(
        path, [path, offset, size](const Base& base) { return read_part_of(base.open(path, O_RDONLY), offset, size); });
}

ListAnswer LiveRoot::answer_list(const std::string& path) {
    return state_->ask<ListAnswer>(path, [path](const Base& base) { return list_folder(base, path); });
}

TextAnswer LiveRoot::answer_link(const std::string& path) {
    return state_->ask<TextAnswer>(path, [path](const Base& base) { return read_link(base, path); });
}

AnswerStatus LiveRoot::answer_exists(const std::string& path) {
    return state_->ask<TextAnswer>(path, [path](const Base& base) { return look(base, path); }).status;
}

bool LiveRoot::at_once(const std::function<void(Root&)>& work) {
    struct Attempt {
        explicit Attempt(std::shared_ptr<const Base> base) : root(std::move(base)) {}
        DirectRoot root;
        bool finished = false;
    };
    const auto attempt = std::make_shared<Attempt>(state_->base);
    const auto job = [attempt, work] {
        try {
            work(attempt->root);
            attempt->finished = true;
        } catch (...) {  // NeedsATool; an error comes again when the questions are asked one by one
            attempt->finished = false;
        }
    };
    if (!state_->runner.run(job, state_->limit) || !attempt->finished)
        return false;
    for (const Unread& note : attempt->root.unread())
        note_unread(note.path, note.reason);
    return true;
}

}  // namespace gpuadapt

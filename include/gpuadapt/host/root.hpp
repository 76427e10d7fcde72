// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/command.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// Stands for the home folder of the user: "/~/.nccl.conf". Where that is stays out of recordings; a copied tree has
/// none.
inline constexpr std::string_view kHomeFolder = "/~/";

/// What became of a question to the machine.
enum class AnswerStatus {
    ok,
    absent,     ///< no such file, or the kernel has no value for it (EINVAL, ENODEV, EOPNOTSUPP, ...)
    denied,     ///< it is there, but this user may not read it
    failed,     ///< an I/O error, too large, not a plain file, or not in the recording
    timed_out,  ///< the kernel did not answer within the limit
};

struct TextAnswer {
    AnswerStatus status = AnswerStatus::absent;
    std::string text;    ///< bytes of a file or target of a link; empty unless `ok`
    std::string reason;  ///< for `denied`, `failed` and `timed_out`
    bool operator==(const TextAnswer&) const = default;
};

struct ListAnswer {
    AnswerStatus status = AnswerStatus::absent;
    std::vector<std::string> names;  ///< ascending, without "." and ".."
    std::string reason;
    bool operator==(const ListAnswer&) const = default;
};

using Environment = std::map<std::string, std::string>;

/// Largest file that `read` takes unless told otherwise. No file of /sys or /proc that we read comes near.
inline constexpr std::size_t kReadLimit = std::size_t{4} << 20;

/// The only door to the machine: its files and its tools. Live (live_root.hpp), recorded (recording.hpp), or in
/// memory for tests (memory_root.hpp). Paths are absolute; one with a ".." or a NUL in it is absent.
///
/// nullopt means absent. What is there but could not be read is nullopt too, and is noted in `unread()`, so that it
/// never looks like something that does not exist.
///
/// One thread at a time.
class Root {
  public:
    Root() = default;
    Root(const Root&) = delete;
    Root& operator=(const Root&) = delete;
    virtual ~Root() = default;

    /// The whole file, also where its size is not known beforehand (/proc, /sys) and where it is binary. A file larger
    /// than `limit` is noted as unread, never cut.
    [[nodiscard]] std::optional<std::string> read(const std::string& path, std::size_t limit = kReadLimit);

    /// Bytes `offset` to `offset + size` of a file; shorter, or empty, where the file ends before. For files that are
    /// expensive to read as a whole, such as a PCI configuration space.
    [[nodiscard]] std::optional<std::string> read_part(const std::string& path, std::size_t offset, std::size_t size);

    /// The first line of a file without white space at its ends; nullopt also when that is empty.
    [[nodiscard]] std::optional<std::string> read_line(const std::string& path);

    /// Names in a folder, ascending.
    [[nodiscard]] std::optional<std::vector<std::string>> list(const std::string& path);

    /// Target of a symbolic link, as it is written there.
    [[nodiscard]] std::optional<std::string> link(const std::string& path);

    [[nodiscard]] bool exists(const std::string& path);

    /// Runs a tool of the machine to its end; see run_command(). Never throws for a tool that fails or is absent.
    [[nodiscard]] virtual CommandResult run(const std::vector<std::string>& argv, const CommandOptions& options) = 0;
    [[nodiscard]] CommandResult run(const std::vector<std::string>& argv) { return run(argv, CommandOptions{}); }

    /// Variables of our own environment that change how GPU and communication libraries behave (environment.hpp says
    /// which). Others are not given out: they may hold secrets, and answers are recorded.
    [[nodiscard]] virtual Environment environment() = 0;

    /// Something that a library of this machine knows and that no file of it says, such as the name that its pci.ids
    /// gives to a device. A recording answers with what was kept under `key`, so that a replay does not depend on the
    /// machine it runs on; nothing kept: nullopt.
    [[nodiscard]] virtual std::optional<std::string> lookup(
        const std::string& key, const std::function<std::optional<std::string>()>& compute) = 0;

    /// Runs `work` with a Root that answers without a thread and a time limit for each question, which on a live
    /// machine cost more than the reading. There is one limit for all of `work`. False: it was not done, and the
    /// questions must be asked one by one; either this Root has nothing to gain, or `work` started a tool, or the limit
    /// was passed. In that last case `work` may go on in a thread that is left behind: it must keep all that it uses by
    /// itself.
    [[nodiscard]] virtual bool at_once(const std::function<void(Root&)>& work);

    /// What could not be read so far, each once, in the order in which it was met.
    [[nodiscard]] const std::vector<Unread>& unread() const { return unread_; }
    void note_unread(const std::string& path, const std::string& reason);

    /// The same questions with the answer as it is; nothing is noted. For a Root that stands before another one.
    [[nodiscard]] virtual TextAnswer answer_read(const std::string& path, std::size_t limit) = 0;
    [[nodiscard]] virtual TextAnswer answer_read_part(const std::string& path, std::size_t offset,
                                                      std::size_t size) = 0;
    [[nodiscard]] virtual ListAnswer answer_list(const std::string& path) = 0;
    [[nodiscard]] virtual TextAnswer answer_link(const std::string& path) = 0;
    [[nodiscard]] virtual AnswerStatus answer_exists(const std::string& path) = 0;

  private:
    std::vector<Unread> unread_;
};

/// True for a path that a Root looks up: absolute, no NUL, no component "..".
[[nodiscard]] bool is_root_path(const std::string& path);

}  // namespace gpuadapt

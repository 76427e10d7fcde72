// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/memory_root.hpp>

#include <memory>
#include <string>
#include <string_view>

/// A recording: what a machine answered, kept so that every command can be run on it again.
///
/// It is a tar file, mostly compressed by gzip, or a folder with the same members:
///
///     gpuadapt-recording      "gpuadapt-recording 1" and a line end; a second line "complete" says that what is not
///                             listed does not exist (trees made by hand); without it, it was not asked and is unknown
///     files/PATH              bytes of the file /PATH
///     answers.tsv             what is no plain file; one answer a line, fields separated by tabs:
///         link    PATH  TARGET          symbolic link
///         list    PATH  NAME/NAME/...   folder; where it is missing, a folder holds what is below it
///         exists  PATH
///         file|link|list|exists-STATUS  PATH  REASON     not answered: STATUS is absent, denied, failed or timed_out
///         env     NAME  VALUE
///         lookup  KEY   VALUE    lookup-absent  KEY
///         run     N  STATUS  CODE  REASON  ARGUMENT...   its output is in commands/N/out and commands/N/err
///     commands/N/out, commands/N/err
///
/// "%XX" is the byte XX: '%' and control characters are always written so, in member names all but ASCII too.
/// PATH of a member has no leading '/'; in answers.tsv it has one.
namespace gpuadapt {

/// What a recording may hold; a bomb ends at the first of them.
struct RecordingLimits {
    std::size_t members = 200000;
    std::size_t member_bytes = std::size_t{32} << 20;
    std::size_t total_bytes = std::size_t{256} << 20;
};

/// Reads a recording (file or folder) into memory; nothing is written anywhere. It is untrusted: anything in it but
/// plain files and folders of the layout above (links, devices, absolute paths, "..", other names), a member or a sum
/// over the limits, and damaged contents throw Error(input) that names file and member.
[[nodiscard]] Answers read_recording(const std::string& path, const RecordingLimits& limits = {});

/// The same for an archive in memory; `name` stands for it in errors.
[[nodiscard]] Answers unpack_recording(std::string_view archive, const std::string& name,
                                       const RecordingLimits& limits = {});

/// The bytes of a tar.gz of these answers; the same answers give the same bytes.
[[nodiscard]] std::string pack_recording(const Answers& answers);

/// A recorded machine.
class RecordingRoot : public MemoryRoot {
  public:
    explicit RecordingRoot(const std::string& path) : MemoryRoot(read_recording(path)) {}
};

/// Stands before a live machine and keeps what was asked with its answer. A recording is one moment: the second time a
/// question is asked, the first answer is given again.
class RecorderRoot : public Root {
  public:
    explicit RecorderRoot(Root& source) : source_(source) { answers_.only_asked = true; }

    /// Writes the recording (tar.gz). Throws Error(input) naming the path when it cannot be written.
    void save(const std::string& path) const;
    [[nodiscard]] const Answers& answers() const { return answers_; }

    using Root::run;
    [[nodiscard]] CommandResult run(const std::vector<std::string>& argv, const CommandOptions& options) override;
    [[nodiscard]] Environment environment() override;
    [[nodiscard]] std::optional<std::string> lookup(
        const std::string& key, const std::function<std::optional<std::string>()>& compute) override;
    [[nodiscard]] TextAnswer answer_read(const std::string& path, std::size_t limit) override;
    [[nodiscard]] TextAnswer answer_read_part(const std::string& path, std::size_t offset, std::size_t size) override;
    [[nodiscard]] ListAnswer answer_list(const std::string& path) override;
    [[nodiscard]] TextAnswer answer_link(const std::string& path) override;
    [[nodiscard]] AnswerStatus answer_exists(const std::string& path) override;

  private:
    Root& source_;
    Answers answers_;
};

/// The machine that a command is to look at: a recording when `from` names one, else this machine.
[[nodiscard]] std::unique_ptr<Root> open_root(const std::string& from = "");

}  // namespace gpuadapt

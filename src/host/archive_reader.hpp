// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/fd.hpp"
#include "host/recording_format.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/recording.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Reads tar archives and folders that others made into memory, within limits; nothing is written anywhere.
namespace gpuadapt {

/// What an archive may be.
struct ArchiveRules {
    bool links = false;         ///< symbolic and hard links are taken; else they are errors
    bool repeats = false;       ///< of two members with one name the later one counts, as tar has it
    bool every_filter = false;  ///< bzip2, xz and zstd besides gzip
    Text wrong = {"no recording of gpuadapt, or a damaged one", "不是 gpuadapt 的记录文件，或已损坏"};
};

struct ArchiveContents {
    Members files;
    std::map<std::string, std::string> links;  ///< target as written; never followed here
};

/// How large a tar archive can be that keeps to these limits: each member has a header and padding.
[[nodiscard]] constexpr std::size_t largest_archive(const RecordingLimits& limits) {
    constexpr std::size_t kOfMember = 1024;
    return limits.total_bytes + limits.members * kOfMember;
}

/// Names have no leading '/' or "./". Anything else than plain files, folders and (by the rules) links, a name that is
/// absolute or has a ".." in it, a limit that is passed and damage throw Error(input) that names file and member.
[[nodiscard]] ArchiveContents read_archive(std::string_view bytes, const std::string& file,
                                           const RecordingLimits& limits, const ArchiveRules& rules);

/// The same for the plain files below a folder.
[[nodiscard]] Members read_folder(const Fd& folder, const std::string& file, const RecordingLimits& limits);

/// Names in a folder, in no order.
[[nodiscard]] std::vector<std::string> names_in(const Fd& folder, const std::string& file);

/// "FILE: WHAT"
[[noreturn]] void fail_input(const std::string& file, const Message& what);

/// The same for what is no archive by these rules: "FILE: a damaged archive: WHY".
[[noreturn]] void fail_damaged(const std::string& file, const ArchiveRules& rules, const Message& why);

/// What errno says.
[[nodiscard]] Message system_message();

}  // namespace gpuadapt

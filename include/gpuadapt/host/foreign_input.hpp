// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/host/root.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// One thing that somebody sent: a machine's tree, or a text.
struct ForeignInput {
    std::string name;            ///< how it is named in what is made of it: the last component, or the archive's member
    std::unique_ptr<Root> root;  ///< a recording, a folder with sys/ in it, or packed parts of /sys and /proc
    bool packed = false;         ///< `root` is the work of another tool: what is not in it is unknown
    std::string text;            ///< any bytes, where `root` is null
    std::size_t bytes = 0;       ///< of the text, or unpacked from an archive
};

/// Largest text that is taken.
inline constexpr std::size_t kForeignTextLimit = std::size_t{64} << 20;

/// What a file or folder holds, told by its contents, never by its name:
///   our own recording, or a folder with sys/ in it        a root, as open_root() gives it
///   a tar archive (plain, gzip, bzip2, xz or zstd) with parts of /sys and /proc inside at most one top folder, as
///     hwloc-gather-topology and util-linux's lscpu dumps are        a packed root; other members are left out
///   another tar archive                                   its files, as texts
///   another folder                                        all of that for each entry, ascending by name; folders in
///                                                         it only when they hold a machine
///   anything else, "-" for stdin                          a text
/// It is untrusted: see recording.hpp for what is an error and how it is named. Nothing is written anywhere.
[[nodiscard]] std::vector<ForeignInput> read_foreign(const std::string& path, const RecordingLimits& limits = {});

/// The same for a file in memory.
[[nodiscard]] std::vector<ForeignInput> unpack_foreign(std::string bytes, const std::string& name,
                                                       const RecordingLimits& limits = {});

}  // namespace gpuadapt

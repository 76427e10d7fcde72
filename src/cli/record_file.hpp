// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/record.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::cli {

/// A Record on disk while it grows: each line goes to PATH.part at once, PATH itself is rewritten at most every five
/// seconds and at the end. Killing the program at any moment loses no line.
class RecordFile {
  public:
    /// Makes PATH.part. An earlier record of that name, and what an interrupted run left in PATH.part, are kept as
    /// PATH.1, PATH.2, ... (`kept` lists their new names). Throws Error naming the path when PATH or PATH.part cannot
    /// be written, or when another process is writing it.
    explicit RecordFile(std::string path);
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;
    ~RecordFile();

    /// Throws Error(tool) naming the file when the disk is full.
    void append(std::string_view line);
    /// Rewrites PATH when the last time was five seconds ago.
    void save_when_due(const Record& record);
    /// Rewrites PATH and removes PATH.part.
    void finish(const Record& record);
    /// Leaves everything as it was before: for a run that was refused before it measured anything.
    void discard();
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }

  private:
    void keep_earlier();
    void remove_part();

    std::string path_;
    std::string part_path_;  ///< empty where PATH is no plain file (-, /dev/stdout): nothing to keep beside it
    std::vector<std::string> kept_;
    int part_ = -1;
    std::chrono::steady_clock::time_point saved_;
};

struct RecordText {
    std::string text;  ///< bytes of the file that was taken
    std::string name;  ///< its name: PATH or PATH.part
    Record record;
};

/// A record by its file name. When PATH.part of the same run is there (the program was killed), or only that, it is
/// taken, since it holds all of PATH and more. Throws Error(input) naming the file.
[[nodiscard]] RecordText read_record_file(const std::string& path);

}  // namespace gpuadapt::cli

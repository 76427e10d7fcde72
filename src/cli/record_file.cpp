// SPDX-License-Identifier: Apache-2.0
#include "cli/record_file.hpp"

#include "cli/replace.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/files.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace gpuadapt::cli {
namespace {

constexpr std::chrono::seconds kSaveInterval{5};

Error write_error(const std::string& path, int error) {
    const char* text = std::strerror(error);
    return {error == ENOSPC || error == EDQUOT || error == EIO ? ErrorKind::tool : ErrorKind::input,
            Message{fmt::format("{}: {}. Free some space or give another place with --out FILE.", path, text),
                    fmt::format("{}：{}。请清理空间，或用 --out FILE 指定其他位置。", path, text)}};
}

/// Opens (or makes) the file and locks it for this process.
int open_locked(const std::string& path) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor < 0)
        throw write_error(path, errno);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(descriptor);
        throw input_error(Message{fmt::format("{}: another run is writing it; give another --out FILE", path),
                                  fmt::format("{}：另一个测试正在写入；请用 --out 指定其他文件", path)});
    }
    return descriptor;
}

bool has_contents(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && std::filesystem::file_size(path, ignored) > 0;
}

bool is_special_file(const std::string& path) {
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

std::size_t row_count(const Record& record) {
    std::size_t rows = 0;
    for (const Table& table : record.tables)
        rows += table.rows.size();
    return rows;
}

}  // namespace

RecordFile::RecordFile(std::string path) : path_(std::move(path)), saved_(std::chrono::steady_clock::now()) {
    check_output_file(path_);
    if (path_ == "-" || is_special_file(path_))
        return;
    part_path_ = path_ + ".part";
    part_ = open_locked(part_path_);
    keep_earlier();
}

void RecordFile::keep_earlier() {
    // What an earlier run left is worth as much as what this one will measure. Record and .part of one run stay a pair.
    const std::string name = free_name(path_);
    for (const std::string ending : {"", ".part"}) {
        if (!has_contents(path_ + ending))
            continue;
        if (rename((path_ + ending).c_str(), (name + ending).c_str()) != 0)
            throw write_error(name + ending, errno);
        kept_.push_back(name + ending);
    }
    if (std::error_code ignored; !std::filesystem::exists(part_path_, ignored)) {
        close(part_);
        part_ = open_locked(part_path_);
    }
}

RecordFile::~RecordFile() {
    if (part_ >= 0)
        close(part_);
}

void RecordFile::append(std::string_view line) {
    if (part_ < 0)
        return;
    const std::string whole = fmt::format("{}\n", line);
    std::string_view left = whole;
    while (!left.empty()) {
        const ssize_t written = write(part_, left.data(), left.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            throw write_error(part_path_, errno);
        left.remove_prefix(static_cast<std::size_t>(written));
    }
}

void RecordFile::save_when_due(const Record& record) {
    const auto now = std::chrono::steady_clock::now();
    if (part_ < 0 || now - saved_ < kSaveInterval)
        return;
    saved_ = now;
    write_output_file(path_, to_json(record));
}

void RecordFile::finish(const Record& record) {
    write_output_file(path_, to_json(record));
    remove_part();
}

void RecordFile::discard() {
    remove_part();
    for (const std::string& name : kept_) {
        const std::string earlier = name.ends_with(".part") ? part_path_ : path_;
        if (rename(name.c_str(), earlier.c_str()) != 0)
            throw write_error(earlier, errno);
    }
    kept_.clear();
}

void RecordFile::remove_part() {
    if (part_ < 0)
        return;
    close(part_);
    part_ = -1;
    unlink(part_path_.c_str());
}

RecordText read_record_file(const std::string& path) {
    const std::string part_path = path + ".part";
    std::error_code ignored;
    const bool has_part = path != "-" && std::filesystem::is_regular_file(part_path, ignored);
    if (has_part && !std::filesystem::exists(path, ignored)) {
        std::string text = read_input_file(part_path);
        Record record = read_record(text, part_path);
        return {std::move(text), part_path, std::move(record)};
    }
    std::string text = read_input_file(path);
    Record record = read_record(text, path);
    if (has_part && record.finished.empty()) {
        std::string part_text = read_input_file(part_path);
        Record grown = read_record(part_text, part_path);
        if (grown.run_id == record.run_id && row_count(grown) > row_count(record))
            return {std::move(part_text), part_path, std::move(grown)};
    }
    return {std::move(text), path, std::move(record)};
}

}  // namespace gpuadapt::cli

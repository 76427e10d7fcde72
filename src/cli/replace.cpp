// SPDX-License-Identifier: Apache-2.0
#include "cli/replace.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/files.hpp>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace gpuadapt::cli {
namespace {

struct Kind {
    OutputKind kind;
    std::string_view begin;  ///< of every file of that kind that this program has written
    Text name;
};

constexpr Kind kKinds[] = {
    {OutputKind::workbook, "PK", {"workbook", "表格"}},  // a ZIP archive, as every XLSX is
    {OutputKind::recording, "\x1f\x8b", {"recording", "录制文件"}},
    {OutputKind::machine_record, "{\n  \"tool\": \"gpuadapt\"", {"record of a machine alone", "仅含机器信息的记录"}},
    {OutputKind::expectations, "{\n  \"expect\"", {"file of expectations", "预期文件"}},
    {OutputKind::svg, "<svg", {"SVG picture", "SVG 图"}},
    {OutputKind::nccl_topology, "<system", {"topology file of NCCL", "NCCL 拓扑文件"}},
};

bool has_measurements(const std::string& path) {
    try {
        return !read_record(read_input_file(path), path).tables.empty();
    } catch (const Error&) {
        return true;  // damaged: who knows what it held
    }
}

}  // namespace

void check_replaceable(std::string_view option, const std::string& path, OutputKind kind) {
    check_output_file(path);
    std::error_code ignored;
    if (path == "-" || !std::filesystem::is_regular_file(path, ignored) ||
        std::filesystem::file_size(path, ignored) == 0)
        return;
    for (const Kind& row : kKinds) {
        if (row.kind != kind)
            continue;
        std::string begin(row.begin.size(), '\0');
        std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
        if (begin == row.begin && (kind != OutputKind::machine_record || !has_measurements(path)))
            return;
        throw input_error(
            Message{fmt::format("{} {}: that file is there and is no {}; give another name, or remove it first", option,
                                path, row.name.en),
                    fmt::format("{} {}：该文件已存在且不是{}；请换一个文件名，或先删除它", option, path, row.name.zh)});
    }
}

std::string free_name(const std::string& path) {
    for (int number = 1;; ++number) {
        std::string name = fmt::format("{}.{}", path, number);
        if (!std::filesystem::exists(name) && !std::filesystem::exists(name + ".part"))
            return name;
    }
}

void write_keeping(const Session& session, const std::string& path, std::string_view bytes) {
    EarlierFile earlier(path);
    write_output_file(path, bytes);
    earlier.keep(session);
}

EarlierFile::EarlierFile(const std::string& path) {
    std::error_code failed;
    if (path == "-" || path.starts_with("/dev/") || !std::filesystem::is_regular_file(path, failed) ||
        std::filesystem::file_size(path, failed) == 0)
        return;
    const std::filesystem::path file = std::filesystem::canonical(path, failed);
    const std::string name = free_name(path);
    std::filesystem::create_hard_link(file, name, failed);
    if (failed)  // a file system without links, or a link to another one
        std::filesystem::copy_file(file, name, failed);
    if (failed) {
        std::error_code ignored;
        std::filesystem::remove(name, ignored);
        throw input_error(Message{
            fmt::format("{}: {}: the file that is there cannot be kept; give another name", name, failed.message()),
            fmt::format("{}：{}：无法保留已有文件；请换一个文件名", name, failed.message())});
    }
    name_ = name;
}

EarlierFile::~EarlierFile() {
    std::error_code ignored;
    if (!name_.empty())
        std::filesystem::remove(name_, ignored);
}

void EarlierFile::keep(const Session& session) {
    if (name_.empty())
        return;
    say(session, {fmt::format("An earlier file was there; it is kept as {}.", name_),
                  fmt::format("该位置已有文件，已保留为 {}。", name_)});
    name_.clear();
}

}  // namespace gpuadapt::cli

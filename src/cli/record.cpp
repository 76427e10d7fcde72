// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/machine_record.hpp"
#include "cli/replace.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/host/live_root.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/anonymize.hpp>
#include <gpuadapt/probe/probe.hpp>
#include <gpuadapt/probe/second_sources.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <sys/random.h>

namespace gpuadapt::cli {
namespace {

struct RecordOptions {
    std::string from;
    std::string out;
    bool anonymize = false;
};

/// Everything that a command of this program reads from the machine, and what its tools say about it.
Answers read_machine() {
    LiveRoot live;
    RecorderRoot recorder(live);
    (void)probe_machine(recorder);
    run_second_sources(recorder);
    return recorder.answers();
}

/// Not kept anywhere: nobody can lead the names back, we neither.
std::string random_key() {
    std::array<char, 32> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw tool_error(
            Message{"the kernel gives no random numbers, so names cannot be made that nobody can lead back",
                    "内核未提供随机数，无法生成不可还原的化名"});
    return {bytes.begin(), bytes.end()};
}

int run_record(Session& session, const RecordOptions& options) {
    end_on_stop_signals();
    const std::string path = options.out.empty() ? dated_name("machine", ".tar.gz") : options.out;
    check_replaceable("--out", path, OutputKind::recording);
    std::error_code absent;
    if (!options.from.empty() && std::filesystem::equivalent(options.from, path, absent))
        throw input_error(Message{
            fmt::format("--from {} and --out {} are the same file: give --out another name", options.from, path),
            fmt::format("--from {} 与 --out {} 是同一文件：请为 --out 另取名称", options.from, path)});
    Answers answers = options.from.empty() ? read_machine() : read_recording(options.from);
    if (options.anonymize)
        answers = anonymize(answers, random_key());
    const std::string bytes = pack_recording(answers);
    write_keeping(session, path, bytes);
    // Where stdout may have taken the recording, what is said about it must not follow.
    std::error_code ignored;
    const bool is_file = path != "-" && std::filesystem::is_regular_file(path, ignored);
    const auto tell = [&](const std::string& text) { is_file ? print(text) : say(text); };
    // What is said is what a reader of the file will see, not what we saw.
    MemoryRoot root(unpack_recording(bytes, path));
    const Machine machine = probe_machine(root);
    const Record record = machine_record(machine, "");
    if (session.json) {
        tell(to_json(record));
        return kExitOk;
    }
    const auto answered = [](const auto& entry) { return entry.second.status == AnswerStatus::ok; };
    const auto files = std::count_if(answers.files.begin(), answers.files.end(), answered);
    const auto tools = std::count_if(answers.commands.begin(), answers.commands.end(),
                                     [](const auto& entry) { return entry.second.status == CommandStatus::exited; });
    const std::string size = format_bytes(static_cast<std::int64_t>(bytes.size()));
    const Message text{
        fmt::format(
            "Recording: {}\n           {}; {} files, output of {} tools\nRead it with: gpuadapt probe --from {}\n",
            path, size, files, tools, path),
        fmt::format("录制文件：{}\n          {}；{} 个文件，{} 个工具的输出\n读取：gpuadapt probe --from {}\n", path,
                    size, files, tools, path)};
    tell(clean_lines(text.get(session.lang)));
    if (options.anonymize)
        say(session,
            Message{
                "Look through it before it leaves the house: names in other places (paths, storage, short host names "
                "inside other text) are not found.",
                "发出前请检查：其他位置的名称（路径、存储、夹在文字中的短主机名）无法识别。"});
    else
        say(session, Message{"It holds serial numbers, addresses and host names; --anonymize replaces them.",
                             "其中含有序列号、地址和主机名；--anonymize 可替换这些内容。"});
    std::vector<Finding> findings = record.findings;
    const std::vector<Finding> more = cross_check(root, machine);
    findings.insert(findings.end(), more.begin(), more.end());
    tell(report::findings_list(findings, session.style) +
         report::coverage_line(record.coverage, findings, session.style));
    return kExitOk;
}

}  // namespace

Action define_record(CLI::App& app, Lang lang) {
    auto options = std::make_shared<RecordOptions>();
    app.add_option(
           "--out", options->out,
           pick(lang,
                "Write the recording here (default: machine-DATE-TIME.tar.gz, in UTC). One that is there is kept as "
                "FILE.1",
                "录制文件名（默认 machine-日期-时间.tar.gz，UTC）；已有的保留为 FILE.1"))
        ->type_name("FILE");
    app.add_flag(
        "--anonymize", options->anonymize,
        pick(lang,
             "Replace serial numbers, UUIDs, MAC addresses, GUIDs, IP addresses and host names, each by the "
             "same other one everywhere. What tells the maker stays: the first three bytes (OUI) of a MAC "
             "address or GUID, model and part numbers",
             "替换序列号、UUID、MAC 地址、GUID、IP 地址和主机名，同一内容处处替换为同一化名。可看出厂商的内容保留："
             "MAC 地址与 GUID 的前三字节（OUI）、型号与部件号"));
    app.add_option("--from", options->from,
                   pick(lang, "Take this recording instead of the machine, to anonymize it afterwards",
                        "以已有录制文件代替本机，用于事后匿名化"))
        ->type_name("FILE");
    return [options](Session& session) { return run_record(session, *options); };
}

}  // namespace gpuadapt::cli

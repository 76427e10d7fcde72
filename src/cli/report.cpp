// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/other_machine.hpp"
#include "cli/record_file.hpp"
#include "cli/replace.hpp"

#include <gpuadapt/check/checks.hpp>
#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/host/sha256.hpp>
#include <gpuadapt/ingest/nccl_log.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/report/workbook.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpuadapt::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> records;  ///< as given; one makes sense
    std::string record;
    std::vector<std::string> logs;
    std::string out_file;  // empty: none was named
    std::string form;
    bool probe = false;
    std::vector<std::string> from;
    std::string collective;
    int ranks = 0;
};

/// Takes each table as it is read; gives nothing back.
using TableSink = std::function<void(const Table&)>;

/// In pieces, so that the size of a log does not matter.
void feed(ingest::NcclLogReader& reader, std::istream& input) {
    std::vector<char> piece(std::size_t{1} << 16);
    while (input.read(piece.data(), static_cast<std::streamsize>(piece.size())) || input.gcount() > 0)
        reader.feed({piece.data(), static_cast<std::size_t>(input.gcount())});
}

/// A file that can be read twice: stdin and pipes cannot, and "-" is stdin even where a file has that name.
bool is_plain_file(const std::string& path) {
    std::error_code ignored;
    return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

bool is_recording(const std::string& path) {
    if (!is_plain_file(path))
        return false;
    try {
        static_cast<void>(read_recording(path));
        return true;
    } catch (const Error&) {
        return false;
    }
}

ingest::NcclLogSummary read_log(const std::string& path, const ReportOptions& options, const TableSink& sink,
                                std::vector<Finding>& findings) {
    ingest::NcclLogOptions log_options;
    log_options.file = path;
    if (!options.collective.empty())
        log_options.collective = options.collective;
    if (options.ranks > 0)
        log_options.ranks = options.ranks;
    ingest::NcclLogReader reader(log_options, [&](ingest::NcclLogRun&& run) {
        findings.insert(findings.end(), run.findings.begin(), run.findings.end());
        sink(run.table);
    });
    if (path == "-") {
        feed(reader, std::cin);
        return reader.finish();
    }
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    if (kind == std::filesystem::file_type::directory)
        throw input_error(Message{fmt::format("{}: is a folder: give the logs in it, --log-file FILE FILE ...", path),
                                  fmt::format("{}：是目录；请给出其中的日志：--log-file 文件 文件 …", path)});
    if (kind == std::filesystem::file_type::character || kind == std::filesystem::file_type::block)
        throw input_error(
            Message{fmt::format("{}: is no file with a log", path), fmt::format("{}：不是日志文件", path)});
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw input_error(Message{fmt::format("{}: {}", path, std::strerror(errno)),
                                  fmt::format("{}：{}", path, std::strerror(errno))});
    feed(reader, file);
    if (file.bad())
        throw input_error(Message{fmt::format("{}: cannot be read", path), fmt::format("{}：无法读取", path)});
    return reader.finish();
}

/// A file that holds no record, with what it is where that tells more than where its JSON ends.
RecordText read_record_of(const std::string& path) {
    try {
        return read_record_file(path);
    } catch (const Error&) {
        std::error_code failed;
        if (is_plain_file(path) && std::filesystem::file_size(path, failed) == 0 && !failed)
            throw input_error(Message{fmt::format("{}: is empty", path), fmt::format("{}：文件为空", path)});
        if (is_recording(path))
            throw input_error(
                Message{fmt::format("{}: this is a recording of a machine, not a record: give it with --from", path),
                        fmt::format("{}：这是机器的录制文件，不是记录：请用 --from 给出", path)});
        throw;
    }
}

/// Record and context that the sheets are filled from; rows of logs are streamed and do not stand in it.
struct Source {
    Record record;
    report::WorkbookContext context;
};

/// What a record says is believed no more than what a log says.
void check_tables(Record& record, const std::string& file) {
    for (Table& table : record.tables) {
        if (!is_perf_table(table))
            continue;
        for (Finding& finding : ingest::refuse_rows(table, file))
            if (std::find(record.findings.begin(), record.findings.end(), finding) == record.findings.end())
                record.findings.push_back(std::move(finding));
    }
}

Source open_source(const Session& session, const ReportOptions& options) {
    Source source;
    const Lang lang = session.lang_given ? session.lang : Lang::zh;  // the form is the guide's, which is Chinese
    if (!options.record.empty()) {
        RecordText read = read_record_of(options.record);
        source.context = report::workbook_context(read.record);
        source.context.source = read.name;
        source.context.sha256 = sha256_hex(read.text);
        source.record = std::move(read.record);
        check_tables(source.record, read.name);
    }
    const std::vector<std::string>& files = options.logs.empty() ? options.from : options.logs;
    if (!files.empty() && options.record.empty()) {
        source.context.source = fmt::format("{}", fmt::join(files, " "));
        // The rows of what can be read only once come first: its sum stays unknown.
        if (files.size() == 1 && is_plain_file(files.front()))
            source.context.sha256 = sha256_file(files.front());
    }
    if (options.probe || !options.from.empty()) {
        const Machine machine = read_machine(options.from).machine;  // of this machine when nothing is named
        if (auto finding = other_machine(source.record.machines, machine))
            source.record.findings.push_back(std::move(*finding));
        if (!options.record.empty() || !options.logs.empty()) {
            const Message here = {"this machine (--probe)", "本机（--probe）"};
            source.context.source +=
                fmt::format("{}{}", pick(lang, "; environment: ", "；环境信息："),
                            options.probe ? here.get(lang) : fmt::format("{}", fmt::join(options.from, " ")));
        }
        source.context.machines = {{machine.os.hostname.value_or(pick(lang, "unknown", "未知")), machine}};
    }
    source.context.lang = lang;
    if (!options.form.empty())
        source.context.form =
            report::FormOverrides::parse(read_input_file(options.form, std::size_t{1} << 20), options.form);
    return source;
}

void say_log_summary(const Session& session, const std::string& path, const ingest::NcclLogSummary& summary) {
    say(session, {fmt::format("{}: {} runs, {} rows, {} rows refused, {} lines not understood", path, summary.runs,
                              summary.rows, summary.rows_refused, summary.not_understood),
                  fmt::format("{}：{} 个测试，{} 行数据，拒收 {} 行，未识别 {} 行", path, summary.runs, summary.rows,
                              summary.rows_refused, summary.not_understood)});
}

/// Logs with the same bytes: their rows will stand in the workbook twice, and look like two measurements.
std::vector<Finding> repeated_logs(const std::vector<std::string>& logs) {
    std::map<std::uintmax_t, std::vector<std::string>> by_size;
    for (const std::string& path : logs) {
        std::error_code failed;
        if (is_plain_file(path))
            if (const auto size = std::filesystem::file_size(path, failed); !failed)
                by_size[size].push_back(path);
    }
    std::vector<Finding> findings;
    for (const auto& [size, paths] : by_size) {
        std::map<std::string, std::string> first;  // path by sum
        for (std::size_t i = 0; paths.size() > 1 && i < paths.size(); ++i) {
            const auto [earlier, is_new] = first.emplace(sha256_file(paths[i]), paths[i]);
            if (is_new)
                continue;
            Finding finding;
            finding.severity = Severity::warning;
            finding.check = "LOGS1";
            finding.subject = paths[i];
            finding.title = {"the same log is given twice", "同一日志给出两次"};
            finding.evidence = {fmt::format("{} and {} are the same to the last byte: each row stands twice",
                                            earlier->second, paths[i]),
                                fmt::format("{} 与 {} 完全相同：每行数据出现两次", earlier->second, paths[i])};
            finding.advice = {"Give each log once.", "每个日志只给出一次。"};
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

/// What a file without a row is, where it is a file of ours that another option takes.
std::optional<Message> what_takes(const std::string& path) {
    if (!is_plain_file(path))
        return std::nullopt;
    try {
        static_cast<void>(read_record_file(path));
        return Message{fmt::format("{}: this is a record, not a log: give it with --record", path),
                       fmt::format("{}：这是记录，不是日志：请用 --record 给出", path)};
    } catch (const Error&) {  // no record
    }
    if (is_recording(path))
        return Message{fmt::format("{}: this is a recording of a machine, not a log: give it with --from", path),
                       fmt::format("{}：这是机器的录制文件，不是日志：请用 --from 给出", path)};
    return std::nullopt;
}

void read_logs(const Session& session, const ReportOptions& options, const TableSink& sink, Record& record) {
    const std::vector<Finding> repeated = repeated_logs(options.logs);
    record.findings.insert(record.findings.end(), repeated.begin(), repeated.end());
    for (const std::string& path : options.logs) {
        const ingest::NcclLogSummary summary = read_log(path, options, sink, record.findings);
        record.findings.insert(record.findings.end(), summary.findings.begin(), summary.findings.end());
        say_log_summary(session, path, summary);
        if (summary.lines == 0)
            throw input_error(Message{fmt::format("{}: is empty", path), fmt::format("{}：文件为空", path)});
        if (summary.rows == 0) {
            if (auto other = what_takes(path))
                throw input_error(std::move(*other));
            say_findings(session, record.findings);  // why its rows were refused
            throw input_error(Message{
                fmt::format("{}: no usable row of nccl-tests, rccl-tests or mccl_tests was found in its {} lines", path,
                            summary.lines),
                fmt::format("{}：共 {} 行，未找到 nccl-tests、rccl-tests 或 mccl_tests 的有效数据行", path,
                            summary.lines)});
        }
    }
}

/// Each machine that the logs name and the form does not, once.
TableSink with_check_of_machine(Source& source, const TableSink& sink) {
    return [&source, sink](const Table& table) {
        std::vector<Finding>& findings = source.record.findings;
        if (source.context.machines.size() == 1) {
            auto finding = other_machine(table, source.context.machines.front().machine);
            if (finding && std::find(findings.begin(), findings.end(), *finding) == findings.end())
                findings.push_back(std::move(*finding));
        }
        sink(table);
    };
}

void finish_workbook(const Session& session, report::Workbook& workbook, const std::string& path,
                     const Record& record) {
    EarlierFile earlier(path);
    workbook.finish(record);
    earlier.keep(session);
    say(session, {fmt::format("Workbook: {}", path), fmt::format("表格：{}", path)});
}

int run_report(Session& session, const ReportOptions& options) {
    end_on_stop_signals();
    if (options.records.size() > 1)
        throw input_error(Message{fmt::format("--record: {} are given, and a workbook shows one: write a workbook for "
                                              "each, with an --out-file of its own",
                                              options.records.size()),
                                  fmt::format("--record：给出了 {} 个，而一份表格只对应一个记录：请逐个生成，各用 "
                                              "--out-file 指定文件名",
                                              options.records.size())});
    if (options.record.empty() && options.logs.empty() && options.from.empty())
        throw input_error(Message{"give --record FILE, --log-file FILE or --from FILE; see gpuadapt report --help",
                                  "请用 --record、--log-file 或 --from 指定输入；见 gpuadapt report --help"});
    if (options.probe && !options.from.empty())
        throw input_error(Message{"--probe and --from both say which machine it is: give one of them",
                                  "--probe 与 --from 都用于指定机器，只能给出其一"});
    if (!options.collective.empty() && !ingest::collective_name(options.collective))
        throw input_error(Message{fmt::format("--collective {}: no collective of that name", options.collective),
                                  fmt::format("--collective {}：没有该算子", options.collective)});
    if (options.logs.empty() && (!options.collective.empty() || options.ranks > 0))
        throw input_error(Message{"--collective and --ranks speak of logs: give --log-file",
                                  "--collective 与 --ranks 只用于日志：请给出 --log-file"});
    // JSON takes the workbook's place, unless that was asked for too. The name is the guide's script's own default.
    const bool with_workbook = !session.json || !options.out_file.empty();
    const std::string out_file = options.out_file.empty() ? "mccl_test.xlsx" : options.out_file;
    if (with_workbook)
        check_replaceable("--out-file", out_file, OutputKind::workbook);
    Source source = open_source(session, options);
    if (session.json) {
        read_logs(session, options,
                  with_check_of_machine(source, [&](const Table& table) { source.record.tables.push_back(table); }),
                  source.record);
        check::judge(source.record);
        if (with_workbook) {
            report::Workbook workbook(out_file, source.context);
            for (const Table* table : report::ordered_perf_tables(source.record))
                workbook.add_table(*table);
            finish_workbook(session, workbook, out_file, source.record);
        }
        print(to_json(source.record));
        return exit_status(source.record.findings, session.strict);
    }
    report::Workbook workbook(out_file, source.context);
    for (const Table* table : report::ordered_perf_tables(source.record))
        workbook.add_table(*table);
    // Each table is judged while it is there: the rows of a large log are never all in memory.
    check::StreamingJudge judge(source.record);
    read_logs(session, options,
              with_check_of_machine(source,
                                    [&](const Table& table) {
                                        workbook.add_table(table);
                                        judge.add(table);
                                    }),
              source.record);
    judge.conclude(source.record);
    finish_workbook(session, workbook, out_file, source.record);
    say_judgement(session, source.record);
    return exit_status(source.record.findings, session.strict);
}

}  // namespace

Action define_report(CLI::App& app, Lang lang) {
    auto options = std::make_shared<ReportOptions>();
    app.add_option("--record", options->records,
                   pick(lang, "A record of perf or probe; one", "perf 或 probe 的记录，只能给出一个"))
        ->type_name("FILE");
    app.add_option("--log-file", options->logs,
                   pick(lang, "Logs of nccl-tests, rccl-tests or mccl_tests; - is stdin",
                        "nccl-tests、rccl-tests、mccl_tests 的日志；- 为 stdin"))
        ->type_name("FILE...");
    app.add_option("--out-file", options->out_file,
                   pick(lang,
                        "The workbook (default mccl_test.xlsx; with --json only where it is named). One that is there "
                        "is kept as FILE.1",
                        "输出表格（默认 mccl_test.xlsx；使用 --json 时仅在指定后生成）；已有的保留为 FILE.1"))
        ->type_name("FILE");
    app.add_option("--form", options->form,
                   fmt::format(fmt::runtime(pick(lang,
                                                 "JSON object of items that a person fills in, by key or by the "
                                                 "form's own name: {{\"tester\": \"Li Lei\"}}. Keys: {}",
                                                 "人工填写项的 JSON 文件，以键名或表中名称填写："
                                                 "{{\"测试人\": \"李雷\"}}。键名：{}")),
                               report::form_keys(lang == Lang::zh)))
        ->type_name("FILE");
    app.add_flag("--probe", options->probe,
                 pick(lang, "Fill in the environment items from this machine (where the log was measured)",
                      "用本机信息填写环境信息（日志须在本机测得）"));
    app.add_option("--from", options->from,
                   pick(lang, "Fill in the environment items from a recording, or from what else probe --from takes",
                        "用录制文件（或 probe --from 可读的其他内容）填写环境信息"))
        ->type_name("FILE");
    app.add_option("--collective", options->collective,
                   pick(lang, "Collective of logs that do not name it", "日志未写明时的算子名"))
        ->type_name("NAME");
    app.add_option("--ranks", options->ranks, pick(lang, "Ranks of logs that do not tell", "日志未写明时的 rank 数"))
        ->type_name("N")
        ->check(CLI::Range(1, 1000000));
    return [options](Session& session) {
        if (!options->records.empty())
            options->record = options->records.front();
        return run_report(session, *options);
    };
}

}  // namespace gpuadapt::cli

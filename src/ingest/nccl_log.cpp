// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_line.hpp"
#include "ingest/log_preamble.hpp"
#include "ingest/log_run.hpp"
#include "ingest/utf16.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/nccl_log.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gpuadapt::ingest {
namespace {

constexpr std::string_view kOutOfBounds = "Out of bounds values";
constexpr std::string_view kAverage = "Avg bus bandwidth";

/// The words behind the colon of a footer line.
std::vector<std::string_view> footer_words(std::string_view text) {
    std::vector<std::string_view> words;
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos)
        split_words(text.substr(colon + 1), words);
    return words;
}

}  // namespace

class NcclLogReader::Impl {
  public:
    Impl(NcclLogOptions options, Sink sink)
        : options_(std::move(options)), sink_(std::move(sink)), stray_(options_.file) {}

    void feed(std::string_view bytes) {
        if (form_known_) {
            take_bytes(bytes);
            return;
        }
        start_.append(bytes);
        if (start_.size() >= kUtf16Sample)
            decide_form();
    }

    NcclLogSummary finish() {
        if (!form_known_)
            decide_form();
        const bool open_end = !buffer_.empty() || too_long_;
        if (open_end)
            end_of_line(false);
        summary_.lines = line_ - 1 + (open_end ? 1 : 0);
        close_run(false);
        if (summary_.runs == 0)
            stray_.add(Severity::warning, "LOG13", 0,
                       {"no table of nccl-tests, rccl-tests or mccl_tests was found",
                        "未找到 nccl-tests、rccl-tests 或 mccl_tests 的表格"},
                       Message::same(fmt::format("{} lines", summary_.lines)));
        summary_.findings = stray_.take();
        return std::move(summary_);
    }

  private:
    void decide_form() {
        form_known_ = true;
        const std::string start = std::exchange(start_, {});
        std::string_view bytes = start;
        if (const auto form = utf16_form(bytes)) {
            decoder_.emplace(form->big_endian);
            bytes.remove_prefix(form->mark);
        }
        take_bytes(bytes);
    }

    void take_bytes(std::string_view bytes) {
        if (decoder_) {
            decoded_.clear();
            decoder_->decode(bytes, decoded_);
            bytes = decoded_;
        }
        while (!bytes.empty()) {
            const std::size_t end = std::min(bytes.find('\n'), bytes.size());
            take_piece(bytes.substr(0, end));
            if (end == bytes.size())
                return;
            end_of_line(true);
            ++line_;
            bytes.remove_prefix(end + 1);
        }
    }

    /// A line or a part of it. A '\r' inside ends a line too, which is not counted: a terminal shows the next in its
    /// place.
    void take_piece(std::string_view piece) {
        for (std::size_t end = piece.find('\r'); end != std::string_view::npos; end = piece.find('\r')) {
            add_to_line(piece.substr(0, end));
            end_of_line(true);
            piece.remove_prefix(end + 1);
        }
        add_to_line(piece);
    }

    void add_to_line(std::string_view piece) {
        if (buffer_.size() + piece.size() > options_.line_limit) {
            too_long_ = true;
            buffer_.clear();
        } else if (!too_long_) {
            buffer_.append(piece);
        }
    }

    void end_of_line(bool terminated) {
        if (too_long_) {
            findings().add(Severity::warning, "LOG10", line_, {"line skipped: too long", "该行过长，已跳过"},
                           Message::same(fmt::format("> {} B", options_.line_limit)));
            ++summary_.not_understood;
        } else if (!buffer_.empty()) {
            take_line(terminated);
        }
        too_long_ = false;
        buffer_.clear();
    }

    [[nodiscard]] LogFindings& findings() { return run_ ? run_->findings : stray_; }

    void take_line(bool terminated) {
        std::string_view raw = buffer_;
        if (line_ == 1 && raw.starts_with("\xef\xbb\xbf"))
            raw.remove_prefix(3);
        const bool plain = std::all_of(raw.begin(), raw.end(), [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return byte >= 0x20 && byte != 0x7f;
        });
        if (!plain)
            cleaned_ = clean_line(raw);
        const std::string_view line = plain ? raw : cleaned_;
        const std::string_view text = trim(without_prefix(line));
        split_words(line, words_);
        if (words_.empty() || text.empty() || take_header() || take_units() || take_footer(text) ||
            take_row(terminated))
            return;
        if (is_library_line(text))
            return;
        split_words(text, words_);
        take_other(text);
    }

    bool take_header() {
        bool named = false;
        for (const std::string_view word : words_)
            named = named || word == "busbw";
        if (!named)
            return false;
        const auto columns = LogColumns::from_header(words_);
        if (!columns)
            return refuse_header();
        if (run_ && run_->rows.empty() && run_->refused == 0 && !run_->footer_wrong && preamble_.empty) {
            mix({"two headers without rows between them", "两个表头之间没有数据行"});
            return true;
        }
        close_run(false);
        run_.emplace(options_.file);
        run_->preamble = std::exchange(preamble_, {});
        run_->preamble.ranks.clear();  // complete; each cycle has a copy of the rest
        run_->columns = *columns;
        run_->header_line = line_;
        if (columns->has(ColumnKind::kernel) && run_->preamble.tool.empty())
            run_->preamble.tool = "mccl_tests";
        return true;
    }

    /// Only a line that has most of a header's words is one.
    bool refuse_header() {
        std::size_t heads = 0;
        for (const std::string_view word : words_)
            for (const std::string_view head : {"size", "count", "type", "time", "algbw", "busbw"})
                heads += word == head ? 1 : 0;
        if (heads < 4)
            return false;
        close_run(false);
        stray_.add(Severity::warning, "LOG1", line_,
                   {"header refused: its columns are damaged", "该表头不采用：列名损坏"});
        return true;
    }

    bool take_units() {
        if (!run_ || run_->units_read || !run_->rows.empty() || words_.size() < 2)
            return false;
        bool unit = false;
        for (const std::string_view word : words_)
            unit = unit || word == "(B)";
        if (!unit)
            return false;
        run_->units_read = run_->columns.read_units(words_);
        return true;
    }

    bool take_footer(std::string_view text) {
        const bool bounds = text.find(kOutOfBounds) != std::string_view::npos;
        const bool average = !bounds && text.find(kAverage) != std::string_view::npos;
        if (!bounds && !average)
            return false;
        if (!run_) {
            ++summary_.not_understood;
            return true;
        }
        const std::vector<std::string_view> words = footer_words(text);
        const bool failed = words.size() > 1 && words[1] == "FAILED";
        if (bounds) {
            if (run_->footer_wrong)
                mix({"two footers under one header", "同一表头下有两个结尾"});
            run_->footer_wrong = words.empty() ? std::nullopt : printed_integer(words[0]);
            run_->footer_failed = failed;
        } else {
            if (run_->footer_average)
                mix({"two footers under one header", "同一表头下有两个结尾"});
            run_->footer_average = words.empty() ? std::nullopt : printed_number(words[0]);
            run_->average_failed = failed;
        }
        run_->footer_line = line_;
        return true;
    }

    bool take_row(bool terminated) {
        if (!run_)
            return false;
        RowProblem problem;
        auto row = run_->columns.read_row(words_, problem);
        if (!row && problem.kind == RowProblem::Kind::no_row)
            return false;
        if (run_->footer_wrong || run_->footer_average) {
            mix({"rows below the footer", "结尾之后仍有数据行"});
            return true;
        }
        run_->last_line = line_;
        if (!row) {
            refuse(problem);
            return true;
        }
        row->line = line_;
        if (!terminated)
            cut_end(*row);
        run_->busbw.add(*row);
        add_row(std::move(*row));
        return true;
    }

    void refuse(const RowProblem& problem) {
        ++run_->refused;
        const std::string word = clean_utf8(problem.word);
        switch (problem.kind) {
            case RowProblem::Kind::word_count:
                run_->findings.add(
                    Severity::warning, "LOG1", line_,
                    {"row refused: it is cut off, or other output stands in it", "该行不采用：被截断或混入了其他输出"},
                    {word + " words", word + " 个词"});
                break;
            case RowProblem::Kind::masked:
                run_->findings.add(Severity::warning, "LOG1", line_,
                                   {"row refused: it has no numbers", "该行不采用：没有数值"}, Message::same(word));
                break;
            default:
                run_->findings.add(Severity::warning, "LOG1", line_,
                                   {"row refused: a number is damaged", "该行不采用：数值损坏"}, Message::same(word));
                break;
        }
    }

    /// The last line has no line end: digits of its last number may be missing. Only #wrong is not checked otherwise.
    void cut_end(LogRow& row) {
        LogHalf& half = run_->columns.two_halves() ? row.in_place : row.out_of_place;
        if (half.wrong.value_or(0) != 0)
            half.wrong.reset();
        half.error.reset();
        run_->findings.add(Severity::note, "LOG1", line_,
                           {"the last line has no line end; its last number may be cut off",
                            "最后一行没有换行符，末尾数值可能被截断"});
    }

    void add_row(LogRow row) {
        switch (run_->order.step(row, run_->preamble)) {
            case RowOrder::Step::on:
                break;
            case RowOrder::Step::next_cycle:
                if (run_->mixed_line == 0)
                    split_run(true);
                break;
            case RowOrder::Step::stranger:
                ++run_->refused;
                run_->findings.add(Severity::warning, "LOG1", line_,
                                   {"row refused: another type, operation or root in the middle of a sweep",
                                    "该行不采用：扫描途中出现另一种类型、操作或 root"});
                return;
            case RowOrder::Step::disorder:
                mix({fmt::format("size {} comes again or out of order", row.size),
                     fmt::format("size {} 重复或乱序出现", row.size)});
                break;
        }
        if (run_->rows.size() >= options_.row_limit)
            split_run(false);
        run_->rows.push_back(std::move(row));
    }

    void mix(const Message& reason) {
        if (run_->mixed_line != 0)
            return;
        run_->mixed_line = line_;
        run_->mixed_reason = reason;
    }

    /// Hands out the rows so far; the run goes on with the same header.
    void split_run(bool next_cycle) {
        OpenRun next(options_.file);
        next.preamble = run_->preamble;
        next.columns = run_->columns;
        next.header_line = run_->header_line;
        next.order = run_->order;
        next.units_read = run_->units_read;
        next.busbw = run_->busbw;
        next.cycle = run_->cycle + (next_cycle ? 1 : 0);
        next.part = next_cycle ? 0 : run_->part + 1;
        if (!next_cycle)
            run_->findings.add(Severity::note, "LOG10", line_,
                               {"the run has many rows and continues in a further table", "数据行很多，续于下一张表"},
                               Message::same(std::to_string(options_.row_limit)));
        close_run(true);
        run_.emplace(std::move(next));
    }

    void close_run(bool more_follows) {
        if (!run_)
            return;
        run_->more_follows = more_follows;
        FinishedRun finished = finish_run(std::move(*run_), options_);
        run_.reset();
        ++summary_.runs;
        summary_.rows += static_cast<std::int64_t>(finished.run.table.rows.size());
        summary_.rows_refused += finished.refused;
        const int nth = ++ids_[finished.run.table.id];
        if (nth > 1)
            finished.run.table.id += fmt::format("/{}", nth);
        sink_(std::move(finished.run));
    }

    void take_other(std::string_view text) {
        LogPreamble beside;  // what a line says while a table is open
        const LineKind kind = read_preamble_line(text, words_, run_ ? beside : preamble_);
        switch (kind) {
            case LineKind::begin:
                if (run_) {
                    close_run(false);
                    preamble_ = std::move(beside);
                }
                preamble_.empty = false;
                break;
            case LineKind::preamble:
                if (!run_)
                    preamble_.empty = false;
                else if (run_->preamble.libraries.empty())
                    run_->preamble.libraries = std::move(beside.libraries);
                break;
            case LineKind::ending:
                if (run_ && (!run_->rows.empty() || run_->refused > 0))
                    close_run(false);
                break;
            case LineKind::fault:
                findings().add(Severity::failure, "LOG12", line_, {"the test reports an error", "测试程序报错"},
                               Message::same(std::string(text)));
                break;
            case LineKind::decoration:
                break;
            case LineKind::other:
                take_unknown();
                break;
        }
    }

    void take_unknown() {
        ++summary_.not_understood;
        for (std::size_t i = 0; i + 2 < words_.size(); ++i)
            if (type_bytes(words_[i + 2]) && printed_integer(words_[i + 1]) && printed_integer(words_[i])) {
                ++summary_.rows_refused;
                findings().add(Severity::warning, "LOG1", line_,
                               {"row refused: no header above it", "该行不采用：上方没有表头"});
                return;
            }
    }

    NcclLogOptions options_;
    Sink sink_;
    LogFindings stray_;  ///< about lines outside any run
    std::string buffer_, cleaned_;
    bool too_long_ = false;
    bool form_known_ = false;  ///< whether it is UTF-16
    std::string start_;        ///< what came before that is known
    std::optional<Utf16Decoder> decoder_;
    std::string decoded_;
    std::int64_t line_ = 1;
    std::vector<std::string_view> words_;
    LogPreamble preamble_;
    std::optional<OpenRun> run_;
    std::map<std::string, int> ids_;
    NcclLogSummary summary_;
};

NcclLogReader::NcclLogReader(NcclLogOptions options, Sink sink)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(sink))) {}
NcclLogReader::~NcclLogReader() = default;
NcclLogReader::NcclLogReader(NcclLogReader&&) noexcept = default;
NcclLogReader& NcclLogReader::operator=(NcclLogReader&&) noexcept = default;

void NcclLogReader::feed(std::string_view bytes) {
    impl_->feed(bytes);
}

NcclLogSummary NcclLogReader::finish() {
    return impl_->finish();
}

NcclLog read_nccl_log(std::string_view text, const NcclLogOptions& options) {
    NcclLog log;
    NcclLogReader reader(options, [&log](NcclLogRun&& run) { log.runs.push_back(std::move(run)); });
    reader.feed(text);
    log.summary = reader.finish();
    return log;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ingest/log_line.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The columns of a table as its header line and unit row give them, and its rows.
namespace gpuadapt::ingest {

enum class ColumnKind { size, count, type, redop, root, kernel, time, algbw, busbw, wrong, error, timestamp, other };

/// What one half of a row says, in us and GB/s; nullopt where the log prints N/A or has no such column.
struct LogHalf {
    std::optional<Printed> time, algbw, busbw;
    std::optional<std::int64_t> wrong;
    std::optional<double> error;  ///< float column of versions before 2.13
};

struct LogRow {
    std::int64_t line = 0;  ///< in the input, from 1
    std::int64_t size = 0, count = 0;
    std::string type, redop;
    std::optional<int> root;
    std::optional<Printed> kernel;
    LogHalf out_of_place, in_place;
};

/// Why a line that begins like a row is none.
struct RowProblem {
    enum class Kind {
        no_row,      ///< does not begin like a row: not our matter
        word_count,  ///< too few or too many words: cut off, or another line in its middle
        masked,      ///< "XX.XX" where a number should be
        damaged,     ///< a word that is neither number nor N/A
    } kind = Kind::no_row;
    std::string word;  ///< the word at fault, for the finding
};

class LogColumns {
  public:
    /// nullopt unless the words contain time, algbw and busbw heads. `words` is the whole line.
    [[nodiscard]] static std::optional<LogColumns> from_header(const std::vector<std::string_view>& words);

    /// Takes the units when this is the row below the header: "(B) (elements) (us) (GB/s) ...". False when it is not.
    bool read_units(const std::vector<std::string_view>& words);

    /// A row, or what is wrong with it. `words` may begin with a prefix where the table has a type column.
    [[nodiscard]] std::optional<LogRow> read_row(const std::vector<std::string_view>& words, RowProblem& problem) const;

    [[nodiscard]] bool has(ColumnKind kind) const;
    [[nodiscard]] bool two_halves() const { return second_half_ < columns_.size(); }
    [[nodiscard]] bool cpu_time() const { return cpu_time_; }
    [[nodiscard]] const std::string& bandwidth_unit() const { return bandwidth_unit_; }
    [[nodiscard]] int bandwidth_power() const { return bandwidth_power_; }  ///< a unit of the log is 10^this GB/s
    [[nodiscard]] bool unit_known() const { return unit_known_; }

  private:
    [[nodiscard]] bool well_formed() const;
    [[nodiscard]] std::size_t row_begin(const std::vector<std::string_view>& words) const;
    [[nodiscard]] bool read_left(LogRow& row, const std::vector<std::string_view>& words, std::size_t first,
                                 bool redop_empty, RowProblem& problem) const;
    [[nodiscard]] bool read_right(LogRow& row, const std::vector<std::string_view>& words, std::size_t first,
                                  bool without_kernel, RowProblem& problem) const;
    [[nodiscard]] bool read_cell(LogRow& row, std::size_t column, std::string_view word, RowProblem& problem) const;
    [[nodiscard]] static bool read_left_cell(LogRow& row, ColumnKind kind, std::string_view word);
    [[nodiscard]] bool read_measured_cell(LogRow& row, std::size_t column, std::string_view word) const;

    std::vector<ColumnKind> columns_;
    std::size_t left_ = 0;         ///< columns before the first measured one
    std::size_t second_half_ = 0;  ///< index of the in-place time; columns_.size() when there is none
    bool cpu_time_ = false;
    int time_power_ = 0;  ///< a unit of the log is 10^this us
    int bandwidth_power_ = 0;
    std::string bandwidth_unit_ = "GB/s";
    bool unit_known_ = true;
};

}  // namespace gpuadapt::ingest

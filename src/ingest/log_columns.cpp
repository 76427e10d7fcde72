// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadapt::ingest {
namespace {

struct Head {
    std::string_view word;
    ColumnKind kind;
};

// Heads of all versions: "bytes N op res" are version 1's, "wrong" has lost its '#' to a web page.
constexpr std::array<Head, 19> kHeads = {{{"size", ColumnKind::size},
                                          {"bytes", ColumnKind::size},
                                          {"count", ColumnKind::count},
                                          {"N", ColumnKind::count},
                                          {"type", ColumnKind::type},
                                          {"redop", ColumnKind::redop},
                                          {"op", ColumnKind::redop},
                                          {"root", ColumnKind::root},
                                          {"avgtime", ColumnKind::kernel},
                                          {"kernel", ColumnKind::kernel},
                                          {"time", ColumnKind::time},
                                          {"cputime", ColumnKind::time},
                                          {"algbw", ColumnKind::algbw},
                                          {"busbw", ColumnKind::busbw},
                                          {"#wrong", ColumnKind::wrong},
                                          {"wrong", ColumnKind::wrong},
                                          {"error", ColumnKind::error},
                                          {"res", ColumnKind::error},
                                          {"timestamp", ColumnKind::timestamp}}};

ColumnKind kind_of(std::string_view word) {
    for (const Head& head : kHeads)
        if (head.word == word)
            return head.kind;
    return ColumnKind::other;
}

bool is_left(ColumnKind kind) {
    return kind == ColumnKind::size || kind == ColumnKind::count || kind == ColumnKind::type ||
           kind == ColumnKind::redop || kind == ColumnKind::root;
}

/// "2025-11-30 10:05:03" is one column of two words.
std::size_t words_of(ColumnKind kind) {
    return kind == ColumnKind::timestamp ? 2 : 1;
}

/// As powers of ten of a microsecond.
std::optional<int> time_unit_of(std::string_view word) {
    if (word == "(us)")
        return 0;
    if (word == "(ms)")
        return 3;
    if (word == "(s)")
        return 6;
    return std::nullopt;
}

/// As powers of ten of a GB/s.
std::optional<int> bandwidth_unit_of(std::string_view word) {
    if (word == "(GB/s)")
        return 0;
    if (word == "(MB/s)")
        return -3;
    if (word == "(KB/s)")
        return -6;
    return std::nullopt;
}

bool is_masked(std::string_view word) {
    return word.find_first_not_of("Xx.*?-") == std::string_view::npos;
}

}  // namespace

std::optional<LogColumns> LogColumns::from_header(const std::vector<std::string_view>& words) {
    LogColumns columns;
    bool started = false;
    int times = 0;
    for (std::string_view word : words) {
        if (!started && word.size() > 1 && word.front() == '#')
            word.remove_prefix(1);
        const ColumnKind kind = kind_of(word);
        started = started || kind == ColumnKind::size;
        if (!started)
            continue;  // the '#' and a prefix
        if (kind == ColumnKind::time) {
            columns.cpu_time_ = columns.cpu_time_ || word == "cputime";
            if (++times == 2)
                columns.second_half_ = columns.columns_.size();
        }
        if (word == "bytes")
            columns.time_power_ = 3;  // version 1 prints ms and has no unit row
        columns.columns_.push_back(kind);
    }
    if (!columns.well_formed())
        return std::nullopt;
    if (times == 1)
        columns.second_half_ = columns.columns_.size();
    while (columns.left_ < columns.columns_.size() && is_left(columns.columns_[columns.left_]))
        ++columns.left_;
    return columns;
}

/// One or two halves, each with time, algbw and busbw in this order: a head that lost letters must not shift a column.
bool LogColumns::well_formed() const {
    std::vector<ColumnKind> measured;
    for (const ColumnKind kind : columns_)
        if (kind == ColumnKind::time || kind == ColumnKind::algbw || kind == ColumnKind::busbw)
            measured.push_back(kind);
    const std::vector<ColumnKind> half = {ColumnKind::time, ColumnKind::algbw, ColumnKind::busbw};
    std::vector<ColumnKind> both = half;
    both.insert(both.end(), half.begin(), half.end());
    return measured == half || measured == both;
}

bool LogColumns::read_units(const std::vector<std::string_view>& words) {
    std::optional<int> time, bandwidth;
    bool found = false;
    for (const std::string_view word : words) {
        found = found || word == "(B)";
        if (const auto unit = time_unit_of(word)) {
            unit_known_ = unit_known_ && (!time || *time == *unit);
            time = unit;
        }
        if (const auto unit = bandwidth_unit_of(word)) {
            unit_known_ = unit_known_ && (!bandwidth || *bandwidth == *unit);
            bandwidth = unit;
            bandwidth_unit_ = std::string(word.substr(1, word.size() - 2));
        }
    }
    if (!found)
        return false;
    unit_known_ = unit_known_ && time && bandwidth;
    time_power_ = time.value_or(0);
    bandwidth_power_ = bandwidth.value_or(0);
    return true;
}

bool LogColumns::has(ColumnKind kind) const {
    return std::find(columns_.begin(), columns_.end(), kind) != columns_.end();
}

/// Where the row begins: at "size count type", after whatever stands before it. words.size() when there is no row.
std::size_t LogColumns::row_begin(const std::vector<std::string_view>& words) const {
    const auto bare = [](std::string_view word) { return word.front() == '#' ? word.substr(1) : word; };
    if (left_ < 3 || columns_[2] != ColumnKind::type)  // without a type column only a line that is all row will do
        return !words.empty() && printed_integer(bare(words[0])) ? 0 : words.size();
    for (std::size_t i = 0; i + 2 < words.size(); ++i)
        if (type_bytes(words[i + 2]) && printed_integer(words[i + 1]) && printed_integer(bare(words[i])))
            return i;
    return words.size();
}

std::optional<LogRow> LogColumns::read_row(const std::vector<std::string_view>& words, RowProblem& problem) const {
    problem = {};
    const std::size_t begin = row_begin(words);
    if (begin == words.size())
        return std::nullopt;
    std::size_t right = 0;
    for (std::size_t i = left_; i < columns_.size(); ++i)
        right += words_of(columns_[i]);
    const std::size_t given = words.size() - begin;
    const bool can_miss_redop = left_ > 3 && columns_[3] == ColumnKind::redop;
    const bool third_is_number = given > 3 && printed_number(words[begin + 3]).has_value();
    bool redop_empty = false;
    bool without_kernel = false;
    if (given + 1 == left_ + right) {
        // One word short: an empty redop cell (copies in mccl_tests and 2.13.0-2.13.3), or no kernel time.
        redop_empty = can_miss_redop && third_is_number;
        without_kernel = !redop_empty && has(ColumnKind::kernel);
    } else if (given + 2 == left_ + right) {
        redop_empty = can_miss_redop && third_is_number && has(ColumnKind::kernel);
        without_kernel = redop_empty;
    }
    const std::size_t missing = (redop_empty ? 1U : 0U) + (without_kernel ? 1U : 0U);
    if (given + missing != left_ + right) {
        problem = {RowProblem::Kind::word_count, std::to_string(given)};
        return std::nullopt;
    }
    LogRow row;
    if (!read_left(row, words, begin, redop_empty, problem) ||
        !read_right(row, words, begin + left_ - (redop_empty ? 1U : 0U), without_kernel, problem))
        return std::nullopt;
    return row;
}

bool LogColumns::read_left(LogRow& row, const std::vector<std::string_view>& words, std::size_t first, bool redop_empty,
                           RowProblem& problem) const {
    std::size_t at = first;
    for (std::size_t i = 0; i < left_; ++i) {
        if (redop_empty && columns_[i] == ColumnKind::redop)
            continue;
        std::string_view word = words[at++];
        if (i == 0 && word.front() == '#')
            word.remove_prefix(1);
        if (!read_cell(row, i, word, problem))
            return false;
    }
    return true;
}

bool LogColumns::read_right(LogRow& row, const std::vector<std::string_view>& words, std::size_t first,
                            bool without_kernel, RowProblem& problem) const {
    std::size_t at = first;
    for (std::size_t i = left_; i < columns_.size(); ++i) {
        if (without_kernel && columns_[i] == ColumnKind::kernel)
            continue;
        if (!read_cell(row, i, words[at], problem))
            return false;
        at += words_of(columns_[i]);
    }
    return true;
}

bool LogColumns::read_cell(LogRow& row, std::size_t column, std::string_view word, RowProblem& problem) const {
    const ColumnKind kind = columns_[column];
    const bool good = kind == ColumnKind::timestamp || kind == ColumnKind::other ||
                      (is_left(kind) ? read_left_cell(row, kind, word) : read_measured_cell(row, column, word));
    if (!good)
        problem = {is_masked(word) ? RowProblem::Kind::masked : RowProblem::Kind::damaged, std::string(word)};
    return good;
}

bool LogColumns::read_left_cell(LogRow& row, ColumnKind kind, std::string_view word) {
    if (kind == ColumnKind::type) {
        row.type = std::string(word);
        return type_bytes(word).has_value();
    }
    if (kind == ColumnKind::redop) {
        row.redop = std::string(word);
        return is_redop(word);
    }
    const auto number = printed_integer(word);
    if (!number || *number < (kind == ColumnKind::root ? -1 : 0) || (*number == 0 && word.front() == '-'))
        return false;
    if (kind == ColumnKind::root) {
        if (*number > INT32_MAX)
            return false;
        row.root = static_cast<int>(*number);
    } else {
        (kind == ColumnKind::size ? row.size : row.count) = *number;
    }
    return true;
}

bool LogColumns::read_measured_cell(LogRow& row, std::size_t column, std::string_view word) const {
    constexpr double kLargestWhole = 1e15;
    const ColumnKind kind = columns_[column];
    LogHalf& half = column >= second_half_ ? row.in_place : row.out_of_place;
    if (kind == ColumnKind::error && !word.empty() && word.back() == '*')
        word.remove_suffix(1);  // rccl-tests marks what is above its limit
    const bool bandwidth = kind == ColumnKind::algbw || kind == ColumnKind::busbw;
    const bool time = kind == ColumnKind::time || kind == ColumnKind::kernel;
    const auto number = printed_number(word, bandwidth ? bandwidth_power_ : time ? time_power_ : 0);
    if (!number)
        return word == "N/A";
    if (number->value < 0)
        return false;
    switch (kind) {
        case ColumnKind::kernel:
            row.kernel = number;
            return true;
        case ColumnKind::time:
            half.time = number;
            return true;
        case ColumnKind::algbw:
            half.algbw = number;
            return true;
        case ColumnKind::busbw:
            half.busbw = number;
            return true;
        case ColumnKind::wrong:  // printed with %g: a million is 1e+06
            if (number->value > kLargestWhole || number->value != std::floor(number->value))
                return false;
            half.wrong = static_cast<std::int64_t>(number->value);
            return true;
        default:
            half.error = number->value;
            return true;
    }
}

}  // namespace gpuadapt::ingest

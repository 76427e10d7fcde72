// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/perf_table.hpp>

#include <array>
#include <limits>

#include <fmt/format.h>

namespace gpuadapt {
namespace {

constexpr std::string_view kIdPrefix = "perf/";
constexpr std::size_t kHalfColumns = 11;
constexpr std::size_t kHeadColumns = 7;

std::vector<Column> perf_columns() {
    std::vector<Column> columns = {{"requested_bytes", "B", CellType::integer},
                                   {"size_bytes", "B", CellType::integer},
                                   {"count", "", CellType::integer},
                                   {"type", "", CellType::text},
                                   {"redop", "", CellType::text},
                                   {"root", "", CellType::integer},
                                   {"kernel_us", "us", CellType::real}};
    for (const std::string half : {"out_of_place_", "in_place_"}) {
        const std::array<Column, kHalfColumns> own = {{{half + "time_us", "us", CellType::real},
                                                       {half + "algbw_gb_s", "GB/s", CellType::real},
                                                       {half + "busbw_gb_s", "GB/s", CellType::real},
                                                       {half + "wrong", "", CellType::integer},
                                                       {half + "n", "", CellType::integer},
                                                       {half + "min_us", "us", CellType::real},
                                                       {half + "p50_us", "us", CellType::real},
                                                       {half + "p99_us", "us", CellType::real},
                                                       {half + "max_us", "us", CellType::real},
                                                       {half + "mad_us", "us", CellType::real},
                                                       {half + "rank_mean_us", "us", CellType::reals}}};
        columns.insert(columns.end(), own.begin(), own.end());
    }
    return columns;
}

template <class T>
Cell cell_of(const std::optional<T>& value) {
    if (!value)
        return {};
    if constexpr (std::is_integral_v<T>)
        return static_cast<std::int64_t>(*value);
    else
        return *value;
}

void append_half(Row& row, const PerfHalf& half) {
    row.push_back(cell_of(half.time_us));
    row.push_back(cell_of(half.algbw_gb_s));
    row.push_back(cell_of(half.busbw_gb_s));
    row.push_back(cell_of(half.wrong));
    if (half.spread_us) {
        row.emplace_back(half.spread_us->n);
        for (const double value :
             {half.spread_us->min, half.spread_us->p50, half.spread_us->p99, half.spread_us->max, half.spread_us->mad})
            row.emplace_back(value);
    } else {
        row.resize(row.size() + 6);
    }
    row.push_back(half.rank_mean_us.empty() ? Cell{} : Cell{half.rank_mean_us});
}

PerfHalf read_half(const Row& row, std::size_t at) {
    PerfHalf half;
    half.time_us = cell_real(row[at]);
    half.algbw_gb_s = cell_real(row[at + 1]);
    half.busbw_gb_s = cell_real(row[at + 2]);
    half.wrong = cell_integer(row[at + 3]);
    if (const auto n = cell_integer(row[at + 4])) {
        Summary spread;
        spread.n = *n;
        spread.min = cell_real(row[at + 5]).value_or(0);
        spread.p50 = cell_real(row[at + 6]).value_or(0);
        spread.p99 = cell_real(row[at + 7]).value_or(0);
        spread.max = cell_real(row[at + 8]).value_or(0);
        spread.mad = cell_real(row[at + 9]).value_or(0);
        half.spread_us = spread;
    }
    if (const auto* means = std::get_if<std::vector<double>>(&row[at + 10]))
        half.rank_mean_us = *means;
    return half;
}

}  // namespace

Table make_perf_table(const std::string& collective, int ranks) {
    Table table;
    table.id = fmt::format("{}{}/{}", kIdPrefix, collective, ranks);
    table.title = {fmt::format("{}, {} ranks", collective, ranks), fmt::format("{}，{} 个 rank", collective, ranks)};
    table.labels = {{"collective", collective}, {"ranks", std::to_string(ranks)}};
    table.columns = perf_columns();
    return table;
}

bool is_perf_table(const Table& table) {
    return table.id.rfind(kIdPrefix, 0) == 0 && table.column("size_bytes").has_value();
}

Row perf_row(const PerfPoint& point) {
    Row row;
    row.reserve(kHeadColumns + 2 * kHalfColumns);
    row.push_back(cell_of(point.requested_bytes));
    row.emplace_back(point.size_bytes);
    row.push_back(cell_of(point.count));
    row.emplace_back(point.type);
    row.emplace_back(point.redop);
    row.push_back(cell_of(point.root));
    row.push_back(cell_of(point.kernel_us));
    append_half(row, point.out_of_place);
    append_half(row, point.in_place);
    return row;
}

PerfPoint perf_point(const Table& table, const Row& row) {
    // Only our own column list, in its order: a table that merely looks like one must not be read by position.
    static const std::vector<Column> columns = perf_columns();
    if (table.columns != columns || row.size() != columns.size())
        throw input_error(fmt::format("table {}: its columns are not those of a collective measurement", table.id));
    PerfPoint point;
    point.requested_bytes = cell_integer(row[0]);
    point.size_bytes = cell_integer(row[1]).value_or(0);
    point.count = cell_integer(row[2]);
    point.type = cell_text(row[3]).value_or("");
    point.redop = cell_text(row[4]).value_or("");
    if (const auto root = cell_integer(row[5]))
        point.root = static_cast<int>(*root);
    point.kernel_us = cell_real(row[6]);
    point.out_of_place = read_half(row, kHeadColumns);
    point.in_place = read_half(row, kHeadColumns + kHalfColumns);
    return point;
}

bool in_place_defined(const std::string& collective) {
    return collective != "alltoall" && collective != "sendrecv";
}

double bus_factor(const std::string& collective, int ranks) {
    const double n = ranks;
    if (collective == "all_reduce")
        return 2 * (n - 1) / n;
    for (const char* name : {"all_gather", "reduce_scatter", "alltoall", "gather", "scatter"})
        if (collective == name)
            return (n - 1) / n;
    for (const char* name : {"broadcast", "reduce", "sendrecv"})
        if (collective == name)
            return 1;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpuadapt {

enum class CellType { integer, real, text, reals };

/// monostate: not measured or not defined. `reals` is a list with a meaning of its own (e.g. one value a rank).
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, std::vector<double>>;
using Row = std::vector<Cell>;

struct Column {
    std::string id;    ///< stable, English, snake_case: what JSON readers use
    std::string unit;  ///< "us", "GB/s", "B"; empty for counts and texts
    CellType type = CellType::real;
    bool operator==(const Column&) const = default;
};

/// The only shape in which measurements travel. No exporter knows a bench, no bench knows an exporter.
struct Table {
    std::string id;  ///< unique in a Record, e.g. "perf/all_reduce/4"
    Message title;
    std::map<std::string, std::string> labels;  ///< what holds for all rows: collective, ranks, backend
    std::vector<Column> columns;
    std::vector<Row> rows;  ///< each as long as `columns`

    /// Position of a column, nullopt when the table has none of that id.
    [[nodiscard]] std::optional<std::size_t> column(std::string_view column_id) const;
    bool operator==(const Table&) const = default;
};

/// Cell values by type; nullopt for monostate or another type (an integer cell also reads as a real).
[[nodiscard]] std::optional<std::int64_t> cell_integer(const Cell& cell);
[[nodiscard]] std::optional<double> cell_real(const Cell& cell);
[[nodiscard]] std::optional<std::string> cell_text(const Cell& cell);

}  // namespace gpuadapt

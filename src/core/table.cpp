// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/table.hpp>

namespace gpuadapt {

std::optional<std::size_t> Table::column(std::string_view column_id) const {
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].id == column_id)
            return i;
    return std::nullopt;
}

std::optional<std::int64_t> cell_integer(const Cell& cell) {
    if (const auto* value = std::get_if<std::int64_t>(&cell))
        return *value;
    return std::nullopt;
}

std::optional<double> cell_real(const Cell& cell) {
    if (const auto* value = std::get_if<double>(&cell))
        return *value;
    if (const auto* value = std::get_if<std::int64_t>(&cell))
        return static_cast<double>(*value);
    return std::nullopt;
}

std::optional<std::string> cell_text(const Cell& cell) {
    if (const auto* value = std::get_if<std::string>(&cell))
        return *value;
    return std::nullopt;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "core/json_io.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace gpuadapt::json {
namespace {

constexpr std::array<std::pair<CellType, std::string_view>, 4> kCellTypes = {
    {{CellType::integer, "integer"}, {CellType::real, "real"}, {CellType::text, "text"}, {CellType::reals, "reals"}}};

Cell read_cell(const Json& json, CellType type, const Place& place) {
    if (json.is_null())
        return {};
    switch (type) {
        case CellType::integer: {
            std::int64_t value = 0;
            read(json, value, place);
            return value;
        }
        case CellType::real: {
            double value = 0;
            read(json, value, place);
            return value;
        }
        case CellType::text: {
            std::string value;
            read(json, value, place);
            return value;
        }
        case CellType::reals: {
            std::vector<double> value;
            read(json, value, place);
            return value;
        }
    }
    return {};
}

bool plain(const Json& json) {
    return !json.is_object() && !json.is_array();
}

void write_pretty(const Json& json, std::size_t indent, std::string& out) {
    const std::string blanks(indent + 2, ' ');
    const bool object = json.is_object();
    if (plain(json) || json.empty() || (!object && plain(json.front()))) {
        out += compact(json);
        return;
    }
    out += object ? "{\n" : "[\n";
    std::size_t left = json.size();
    for (auto item = json.begin(); item != json.end(); ++item) {
        out += blanks;
        if (object)
            out += compact(Json(item.key())) + ": ";
        if (!object && item->is_array())
            out += compact(*item);
        else
            write_pretty(*item, indent + 2, out);
        out += --left > 0 ? ",\n" : "\n";
    }
    out += std::string(indent, ' ') + (object ? "}" : "]");
}

}  // namespace

Json write(const CellType& value) {
    return kCellTypes[static_cast<std::size_t>(value)].second;
}

Json write(const Cell& value) {
    return std::visit(
        []<class T>(const T& held) -> Json {
            if constexpr (std::is_same_v<T, std::monostate>)
                return nullptr;
            else
                return Json(held);
        },
        value);
}

Json write(const Table& table) {
    Json object = Json::object();
    object["id"] = table.id;
    object["title"] = write(table.title);
    object["labels"] = table.labels;
    object["columns"] = write(table.columns);
    object["rows"] = write(table.rows);
    return object;
}

void read(const Json& json, std::string& value, const Place& place) {
    if (!json.is_string())
        throw place.wrong("a string");
    value = json.get<std::string>();
}

void read(const Json& json, bool& value, const Place& place) {
    if (!json.is_boolean())
        throw place.wrong("true or false");
    value = json.get<bool>();
}

void read(const Json& json, std::int64_t& value, const Place& place) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!json.is_number_integer() || (json.is_number_unsigned() && json.get<std::uint64_t>() > kMax))
        throw place.wrong("a whole number");
    value = json.get<std::int64_t>();
}

void read(const Json& json, int& value, const Place& place) {
    std::int64_t wide = 0;
    read(json, wide, place);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
        throw place.wrong("a whole number of 32 bits");
    value = static_cast<int>(wide);
}

void read(const Json& json, double& value, const Place& place) {
    if (!json.is_number())
        throw place.wrong("a number");
    value = json.get<double>();
}

void read(const Json& json, Severity& value, const Place& place) {
    const auto severity = json.is_string() ? parse_severity(json.get<std::string>()) : std::nullopt;
    if (!severity)
        throw place.wrong("one of ok, note, unknown, warning, failure");
    value = *severity;
}

void read(const Json& json, CellType& value, const Place& place) {
    for (const auto& [type, name] : kCellTypes) {
        if (json == name) {
            value = type;
            return;
        }
    }
    throw place.wrong("one of integer, real, text, reals");
}

void read_row(const Json& json, const std::vector<Column>& columns, Row& row, const Place& place) {
    if (!json.is_array() || json.size() != columns.size())
        throw place.wrong(fmt::format("an array of {} cells", columns.size()));
    row.clear();
    row.reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
        row.push_back(read_cell(json[i], columns[i].type, place.in(std::to_string(i))));
}

void read(const Json& json, Table& table, const Place& place) {
    if (!json.is_object())
        throw place.wrong("an object");
    static const Json nothing;
    const auto member = [&json](const char* key) -> const Json& {
        const auto found = json.find(key);
        return found == json.end() ? nothing : *found;
    };
    read(member("id"), table.id, place.in("id"));
    if (!member("title").is_null())
        read(member("title"), table.title, place.in("title"));
    if (!member("labels").is_null())
        read(member("labels"), table.labels, place.in("labels"));
    read(member("columns"), table.columns, place.in("columns"));
    const Json& rows = member("rows");
    if (rows.is_null())
        return;
    if (!rows.is_array())
        throw place.in("rows").wrong("an array");
    table.rows.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        table.rows.emplace_back();
        read_row(rows[i], table.columns, table.rows.back(), place.in("rows").in(std::to_string(i)));
    }
}

Json parse(std::string_view text, const std::string& file) {
    try {
        return Json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        // "[json.exception.parse_error.101] parse error at line 3, column 7: ..." -> from "line" on, cleaned.
        const std::string_view what = error.what();
        const std::size_t at = what.find("line ");
        const std::string where = clean_utf8(what.substr(at == std::string_view::npos ? 0 : at));
        throw input_error(Message{fmt::format("{}: no valid JSON: {}", file, where),
                                  fmt::format("{}：不是有效的 JSON：{}", file, where)});
    }
}

std::string pretty(const Json& json) {
    std::string out;
    write_pretty(json, 0, out);
    out += '\n';
    return out;
}

std::string compact(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gpuadapt::json

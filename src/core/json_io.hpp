// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json_fields.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/json_object.hpp>

#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

/// Values to JSON and back over the member lists of json_fields.hpp.
namespace gpuadapt::json {

using Json = nlohmann::basic_json<Object>;

// --- writing: an absent optional leaves its key out -----------------------------------------------------------------

template <class T>
Json write(const T& value);

inline Json write(const Severity& value) {
    return severity_name(value);
}
Json write(const CellType& value);
Json write(const Cell& value);
Json write(const Table& value);

template <class T>
Json write(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values)
        array.push_back(write(value));
    return array;
}

template <class T>
Json write(const std::map<std::string, T>& values) {
    Json object = Json::object();
    for (const auto& [key, value] : values)
        object[key] = write(value);
    return object;
}

template <class T>
Json write(const T& value) {
    if constexpr (Described<T>) {
        Json object = Json::object();
        Fields<T>::each(value, [&object]<class M>(const char* key, const M& member) {
            if constexpr (requires { member.has_value(); }) {
                if (member.has_value())
                    object[key] = write(*member);
            } else {
                object[key] = write(member);
            }
        });
        return object;
    } else {
        return Json(value);
    }
}

// --- reading: keys that are unknown are passed over, wrong types are errors that name file and JSON path -------------

/// Where in which file a value stands.
struct Place {
    std::string file;
    std::string path;
    [[nodiscard]] Place in(const std::string& key) const { return {file, path + "/" + key}; }
    [[nodiscard]] Error wrong(const std::string& expected) const {
        const std::string at = path.empty() ? "/" : path;
        return input_error(Message{fmt::format("{}: {}: {} expected", file, at, expected),
                                   fmt::format("{}：{}：应为 {}", file, at, expected)});
    }
};

void read(const Json& json, std::string& value, const Place& place);
void read(const Json& json, bool& value, const Place& place);
void read(const Json& json, int& value, const Place& place);
void read(const Json& json, std::int64_t& value, const Place& place);
void read(const Json& json, double& value, const Place& place);
void read(const Json& json, Severity& value, const Place& place);
void read(const Json& json, CellType& value, const Place& place);
void read(const Json& json, Table& value, const Place& place);
/// One row by the types of its table's columns.
void read_row(const Json& json, const std::vector<Column>& columns, Row& row, const Place& place);

template <class T>
void read(const Json& json, std::vector<T>& values, const Place& place);
template <class T>
void read(const Json& json, std::map<std::string, T>& values, const Place& place);

template <Described T>
void read(const Json& json, T& value, const Place& place) {
    if (!json.is_object())
        throw place.wrong("an object");
    Fields<T>::each(value, [&]<class M>(const char* key, M& member) {
        const auto found = json.find(key);
        if (found == json.end() || found->is_null())
            return;
        if constexpr (requires { member.has_value(); }) {
            member.emplace();
            read(*found, *member, place.in(key));
        } else {
            read(*found, member, place.in(key));
        }
    });
}

template <class T>
void read(const Json& json, std::vector<T>& values, const Place& place) {
    if (!json.is_array())
        throw place.wrong("an array");
    values.clear();
    values.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
        values.emplace_back();
        read(json[i], values.back(), place.in(std::to_string(i)));
    }
}

template <class T>
void read(const Json& json, std::map<std::string, T>& values, const Place& place) {
    if (!json.is_object())
        throw place.wrong("an object");
    values.clear();
    for (const auto& [key, value] : json.items())
        read(value, values[key], place.in(key));
}

/// Parses text; a syntax error becomes Error(input) with file, line and column.
[[nodiscard]] Json parse(std::string_view text, const std::string& file);

/// Readable text: objects over several lines, arrays of plain values on one line, arrays of arrays a line each.
[[nodiscard]] std::string pretty(const Json& json);

/// One line without a line end.
[[nodiscard]] std::string compact(const Json& json);

}  // namespace gpuadapt::json

// SPDX-License-Identifier: Apache-2.0
#include "core/json_io.hpp"

#include <gpuadapt/core/record.hpp>

namespace gpuadapt {
namespace {

using json::Json;
using json::Place;

constexpr const char* kToolName = "gpuadapt";
constexpr const char* kPartKey = "gpuadapt_part";

Json write_head(const Record& record) {
    Json object = Json::object();
    object["tool"] = kToolName;
    object["schema"] = record.schema;
    object["tool_version"] = record.tool_version;
    object["run_id"] = record.run_id;
    object["started"] = record.started;
    object["finished"] = record.finished;
    if (record.launch)
        object["launch"] = json::write(*record.launch);
    object["machines"] = json::write(record.machines);
    return object;
}

void check_schema(const Json& object, const Place& place) {
    if (!object.is_object())
        throw place.wrong("a gpuadapt record (a JSON object)");
    const auto tool = object.find("tool");
    if (tool == object.end() || *tool != kToolName)
        throw input_error(Message{
            fmt::format("{}: this JSON is no gpuadapt record: it has no \"tool\": \"gpuadapt\". Give the file that "
                        "`gpuadapt perf --out` or `gpuadapt probe --json` wrote.",
                        place.file),
            fmt::format("{}：该 JSON 不是 gpuadapt 记录（缺少 \"tool\": \"gpuadapt\"）。请使用 gpuadapt perf --out 或 "
                        "gpuadapt probe --json 生成的文件。",
                        place.file)});
    int schema = 0;
    const auto found = object.find("schema");
    json::read(found == object.end() ? Json() : *found, schema, place.in("schema"));
    if (schema > kRecordSchema)
        throw input_error(Message{
            fmt::format("{}: record format {} is newer than this program knows ({}): use the gpuadapt version that "
                        "wrote it, or a newer one",
                        place.file, schema, kRecordSchema),
            fmt::format("{}：记录格式 {} 比本程序支持的（{}）新：请使用写入它的版本或更新版本", place.file, schema,
                        kRecordSchema)});
    if (schema < 1)
        throw place.in("schema").wrong("a number from 1 on");
}

template <class T>
void read_member(const Json& object, const char* key, T& value, const Place& place) {
    const auto found = object.find(key);
    if (found != object.end() && !found->is_null())
        json::read(*found, value, place.in(key));
}

Record read_head(const Json& object, const Place& place) {
    check_schema(object, place);
    Record record;
    read_member(object, "tool_version", record.tool_version, place);
    read_member(object, "run_id", record.run_id, place);
    read_member(object, "started", record.started, place);
    read_member(object, "finished", record.finished, place);
    if (object.contains("launch"))
        read_member(object, "launch", record.launch.emplace(), place);
    read_member(object, "machines", record.machines, place);
    return record;
}

bool is_part(std::string_view text) {
    return trim(text.substr(0, text.find('\n'))).rfind(fmt::format("{{\"{}\"", kPartKey), 0) == 0;
}

Record read_part(std::string_view text, const std::string& name) {
    Record record;
    for (std::size_t at = 0, number = 1; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (trim(line).empty())
            continue;
        // A writer that was killed leaves half a line behind, always as the last: what came before still counts.
        if (at >= text.size() && !Json::accept(line))
            break;
        part::apply(record, line, fmt::format("{}:{}", name, number));
    }
    return record;
}

}  // namespace

const Table* Record::table(std::string_view id) const {
    for (const Table& candidate : tables)
        if (candidate.id == id)
            return &candidate;
    return nullptr;
}

std::string to_json(const Record& record) {
    Json object = write_head(record);
    object["coverage"] = json::write(record.coverage);
    object["findings"] = json::write(record.findings);
    object["tables"] = json::write(record.tables);
    return json::pretty(object);
}

std::string to_json(const Machine& machine) {
    return json::pretty(json::write(machine));
}

std::string to_json(const std::vector<Finding>& findings, const Coverage& coverage) {
    Json object = Json::object();
    object["findings"] = json::write(findings);
    object["coverage"] = json::write(coverage);
    return json::pretty(object);
}

Record read_record(std::string_view text, const std::string& name) {
    if (is_part(text))
        return read_part(text, name);
    const Json object = json::parse(text, name);
    const Place place{name, ""};
    Record record = read_head(object, place);
    read_member(object, "coverage", record.coverage, place);
    read_member(object, "findings", record.findings, place);
    read_member(object, "tables", record.tables, place);
    return record;
}

Machine read_machine(std::string_view text, const std::string& name) {
    Machine machine;
    json::read(json::parse(text, name), machine, Place{name, ""});
    return machine;
}

namespace part {

std::string header(const Record& record) {
    Json object = Json::object();
    object[kPartKey] = kRecordSchema;
    object["record"] = write_head(record);
    return json::compact(object);
}

std::string table(const Table& table) {
    Table empty = table;
    empty.rows.clear();
    return json::compact(Json{{"table", json::write(empty)}});
}

std::string row(std::string_view table_id, const Row& row) {
    return json::compact(Json{{"in", table_id}, {"row", json::write(row)}});
}

std::string finding(const Finding& finding) {
    return json::compact(Json{{"finding", json::write(finding)}});
}

std::string launch(const Launch& launch) {
    return json::compact(Json{{"launch", json::write(launch)}});
}

std::string machine(const HostMachine& machine) {
    return json::compact(Json{{"machine", json::write(machine)}});
}

std::string finished(std::string_view time) {
    return json::compact(Json{{"finished", time}});
}

Applied apply(Record& record, std::string_view line, const std::string& where) {
    using Kind = Applied::Kind;
    const Json object = json::parse(line, where);
    const Place place{where, ""};
    if (!object.is_object())
        throw place.wrong("an object");
    if (object.contains(kPartKey)) {
        const auto head = object.find("record");
        record = read_head(head == object.end() ? Json() : *head, place.in("record"));
        return {Kind::header, 0};
    }
    if (const auto found = object.find("table"); found != object.end()) {
        Table table;
        json::read(*found, table, place.in("table"));
        record.tables.push_back(std::move(table));
        return {Kind::table, record.tables.size() - 1};
    }
    if (const auto found = object.find("row"); found != object.end()) {
        std::string id;
        read_member(object, "in", id, place);
        for (std::size_t i = record.tables.size(); i-- > 0;) {
            if (record.tables[i].id != id)
                continue;
            Row row;
            json::read_row(*found, record.tables[i].columns, row, place.in("row"));
            record.tables[i].rows.push_back(std::move(row));
            return {Kind::row, i};
        }
        throw place.in("in").wrong("the id of a table that was begun before");
    }
    if (const auto found = object.find("finding"); found != object.end()) {
        json::read(*found, record.findings.emplace_back(), place.in("finding"));
        return {Kind::finding, 0};
    }
    if (const auto found = object.find("launch"); found != object.end()) {
        json::read(*found, record.launch.emplace(), place.in("launch"));
        return {Kind::launch, 0};
    }
    if (const auto found = object.find("machine"); found != object.end()) {
        HostMachine machine;
        json::read(*found, machine, place.in("machine"));
        const bool known = std::any_of(record.machines.begin(), record.machines.end(),
                                       [&](const HostMachine& other) { return other.host == machine.host; });
        if (!known)
            record.machines.push_back(std::move(machine));
        return {Kind::machine, 0};
    }
    if (const auto found = object.find("finished"); found != object.end()) {
        json::read(*found, record.finished, place.in("finished"));
        return {Kind::finished, 0};
    }
    return {};
}

}  // namespace part
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "core/gpu_identity.hpp"
#include "core/json_entries.hpp"

#include <gpuadapt/core/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gpuadapt {

namespace {

using json::Json;

bool is_list_of_entries(const Json& value) {
    return value.is_array() && !value.empty() && value[0].is_object();
}

void fill(Json& into, const Json& from);

// NOLINTBEGIN(misc-no-recursion): as deep as the JSON of a Machine
void fill_members(Json& into, const Json& from) {
    for (const auto& [key, value] : from.items())
        fill(into[key], value);
}

void fill_entries(Json& into, const Json& from) {
    const auto ours = json::places_by_name(into);
    const auto theirs = json::places_by_name(from);
    if (!ours || !theirs)
        return;
    std::vector<const std::string*> names(from.size());  // to add what is new in the order of `from`
    for (const auto& [name, index] : *theirs)
        names[index] = &name;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto place = ours->find(*names[i]);
        if (place == ours->end())
            into.push_back(from[i]);
        else
            fill_members(into[place->second], from[i]);
    }
}

/// What is known in `into` stays.
void fill(Json& into, const Json& from) {
    if (!json::is_known(from))
        return;
    if (!json::is_known(into))
        into = from;
    else if (into.is_object() && from.is_object())
        fill_members(into, from);
    else if (is_list_of_entries(into) && is_list_of_entries(from))
        fill_entries(into, from);
}

/// Somewhere in it is a value.
bool has_value(const Json& value) {
    if (!value.is_structured())
        return json::is_known(value);
    return std::any_of(value.begin(), value.end(), has_value);
}
// NOLINTEND(misc-no-recursion)

}  // namespace

std::vector<Difference> merge(Machine& into, const Machine& from) {
    std::vector<Difference> found = differences(into, from);
    // An entry that only one has is added and no difference.
    std::erase_if(found,
                  [](const Difference& difference) { return difference.first.empty() || difference.second.empty(); });
    std::vector<Unread> unread = into.unread;
    unread.insert(unread.end(), from.unread.begin(), from.unread.end());
    Json merged = json::write(with_addresses(into, from));
    fill(merged, json::write(with_addresses(from, into)));
    into = {};
    json::read(merged, into, json::Place{"merge", ""});
    into.unread = std::move(unread);
    return found;
}

std::vector<std::string> known_parts(const Machine& machine) {
    std::vector<std::string> parts;
    const Json json = json::write(machine);
    for (const auto& [key, value] : json.items())
        if (key != "unread" && key != "sources" && has_value(value))
            parts.push_back(key);
    return parts;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "core/json_entries.hpp"

#include <array>

namespace gpuadapt::json {

namespace {

constexpr std::array<const char*, 9> kNames = {"address", "name",        "tool",   "id",  "index",
                                               "locator", "designation", "number", "path"};

std::string name_of(const Json& entry) {
    for (const char* key : kNames) {
        const auto found = entry.find(key);
        if (found != entry.end() && !(found->is_string() && found->get_ref<const std::string&>().empty()))
            return text_of(*found);
    }
    return "";
}

}  // namespace

bool is_known(const Json& value) {
    return !value.is_null() && !(value.is_structured() && value.empty());
}

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : compact(value);
}

std::optional<std::map<std::string, std::size_t>> places_by_name(const Json& list) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < list.size(); ++i)
        places.emplace(name_of(list[i]), i);
    return places.size() == list.size() ? std::optional(std::move(places)) : std::nullopt;
}

}  // namespace gpuadapt::json

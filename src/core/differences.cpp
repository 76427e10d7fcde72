// SPDX-License-Identifier: Apache-2.0
#include "core/json_io.hpp"

#include <gpuadapt/core/differences.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace gpuadapt {

namespace {

using json::Json;

/// What names an entry of a list; the first that it has.
constexpr std::array<const char*, 8> kNames = {"address", "name",    "tool",        "id",
                                               "index",   "locator", "designation", "number"};

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : json::compact(value);
}

std::string name_of(const Json& entry) {
    for (const char* key : kNames) {
        const auto found = entry.find(key);
        if (found != entry.end())
            return text_of(*found);
    }
    return "";
}

bool is_known(const Json& value) {
    return !value.is_null() && !(value.is_structured() && value.empty());
}

class Comparison {
  public:
    void values(const std::string& path, const Json& first, const Json& second) {
        if (!is_known(first) || !is_known(second) || first == second)
            return;
        if (first.is_object() && second.is_object())
            members(path, first, second);
        else if (first.is_array() && second.is_array() && first[0].is_object() && second[0].is_object())
            entries(path, first, second);
        else
            found.push_back({path, text_of(first), text_of(second)});
    }

    std::vector<Difference> found;

  private:
    void members(const std::string& path, const Json& first, const Json& second) {
        for (const auto& [key, value] : first.items()) {
            const auto other = second.find(key);
            if (other != second.end())
                values(path + "/" + key, value, *other);
        }
    }

    void entries(const std::string& path, const Json& first, const Json& second) {
        const auto by_name = [](const Json& list) {
            std::map<std::string, const Json*> result;
            for (const Json& entry : list)
                result.emplace(name_of(entry), &entry);
            return result;
        };
        const auto ours = by_name(first);
        const auto theirs = by_name(second);
        // Entries without names, or several of one name, cannot be told apart: the lists differ as wholes.
        if (ours.size() != first.size() || theirs.size() != second.size()) {
            found.push_back({path, text_of(first), text_of(second)});
            return;
        }
        std::set<std::string> names;
        for (const auto* list : {&ours, &theirs})
            for (const auto& [name, entry] : *list)
                names.insert(name);
        for (const std::string& name : names) {
            const auto one = ours.find(name);
            const auto other = theirs.find(name);
            const std::string place = path + "/" + name;
            if (one == ours.end() || other == theirs.end())
                found.push_back({place, one == ours.end() ? "" : name, other == theirs.end() ? "" : name});
            else
                members(place, *one->second, *other->second);
        }
    }
};

}  // namespace

std::vector<Difference> differences(const Machine& first, const Machine& second) {
    Json one = json::write(first);
    const Json other = json::write(second);
    for (const char* key : {"unread", "sources"})
        one.erase(key);
    Comparison comparison;
    comparison.values("", one, other);
    return comparison.found;
}

}  // namespace gpuadapt

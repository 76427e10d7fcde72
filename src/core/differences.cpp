// SPDX-License-Identifier: Apache-2.0
#include "core/json_entries.hpp"

#include <gpuadapt/core/differences.hpp>

#include <map>
#include <set>

namespace gpuadapt {

namespace {

using json::is_known;
using json::Json;
using json::text_of;

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
        const auto ours = json::places_by_name(first);
        const auto theirs = json::places_by_name(second);
        if (!ours || !theirs) {  // the lists differ as wholes
            found.push_back({path, text_of(first), text_of(second)});
            return;
        }
        std::set<std::string> names;
        for (const auto* list : {&*ours, &*theirs})
            for (const auto& [name, index] : *list)
                names.insert(name);
        for (const std::string& name : names) {
            const auto one = ours->find(name);
            const auto other = theirs->find(name);
            const std::string place = path + "/" + name;
            if (one == ours->end() || other == theirs->end())
                found.push_back({place, one == ours->end() ? "" : name, other == theirs->end() ? "" : name});
            else
                members(place, first[one->second], second[other->second]);
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

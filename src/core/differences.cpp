// SPDX-License-Identifier: Apache-2.0
#include "core/gpu_identity.hpp"
#include "core/json_entries.hpp"

#include <gpuadapt/core/differences.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

using json::is_known;
using json::Json;
using json::text_of;

/// Facts that people know as hexadecimal numbers, by the end of their path.
struct HexField {
    std::string_view end;
    int digits;
};
constexpr HexField kHexFields[] = {
    {"/vendor_id", 4},  {"/device_id", 4}, {"/subsystem_vendor_id", 4}, {"/subsystem_device_id", 4},
    {"/class_code", 6}, {"/revision", 2},  {"/acs/capability", 4},      {"/acs/control", 4},
};

std::string shown(const std::string& path, const Json& value) {
    const auto* const row = std::find_if(std::begin(kHexFields), std::end(kHexFields),
                                         [&](const HexField& hex) { return path.ends_with(hex.end); });
    return row != std::end(kHexFields) && value.is_number_integer()
               ? fmt::format("{:0{}x}", value.get<std::int64_t>(), row->digits)
               : text_of(value);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON of a Machine
std::size_t facts_in(const Json& value) {
    if (!value.is_structured())
        return is_known(value) ? 1 : 0;
    std::size_t facts = 0;
    for (const Json& part : value)
        facts += facts_in(part);
    return facts;
}

class Comparison {
  public:
    void values(const std::string& path, const Json& first, const Json& second) {
        if (!is_known(first) || !is_known(second))
            return;
        if (first == second)
            found.agreed += facts_in(first);
        else if (first.is_object() && second.is_object())
            members(path, first, second);
        else if (first.is_array() && second.is_array() && first[0].is_object() && second[0].is_object())
            entries(path, first, second);
        else
            found.differences.push_back({path, shown(path, first), shown(path, second)});
    }

    MachineComparison found;

  private:
    void members(const std::string& path, const Json& first, const Json& second) {
        for (const auto& [key, value] : first.items()) {
            const auto other = second.find(key);
            if (other != second.end())
                values(fmt::format("{}/{}", path, key), value, *other);
        }
    }

    void entries(const std::string& path, const Json& first, const Json& second) {
        const auto ours = json::places_by_name(first);
        const auto theirs = json::places_by_name(second);
        if (!ours || !theirs) {  // the lists differ as wholes
            found.differences.push_back({path, text_of(first), text_of(second)});
            return;
        }
        std::set<std::string> names;
        for (const auto* list : {&*ours, &*theirs})
            for (const auto& [name, index] : *list)
                names.insert(name);
        for (const std::string& name : names) {
            const auto one = ours->find(name);
            const auto other = theirs->find(name);
            const std::string place = fmt::format("{}/{}", path, name);
            if (one == ours->end() || other == theirs->end())
                found.differences.push_back(
                    {place, one == ours->end() ? "" : name, other == theirs->end() ? "" : name});
            else
                members(place, first[one->second], second[other->second]);
        }
    }
};

}  // namespace

MachineComparison compare_machines(const Machine& first, const Machine& second) {
    Json one = json::write(with_addresses(first, second));
    const Json other = json::write(with_addresses(second, first));
    for (const char* key : {"unread", "sources"})
        one[key] = nullptr;
    Comparison comparison;
    comparison.values("", one, other);
    return std::move(comparison.found);
}

std::vector<Difference> differences(const Machine& first, const Machine& second) {
    return compare_machines(first, second).differences;
}

}  // namespace gpuadapt

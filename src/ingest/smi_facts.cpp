// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_facts.hpp"

#include <algorithm>

namespace gpuadapt::ingest {

namespace {

std::string_view last_word(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_below(std::string_view path, std::string_view title) {
    return path.size() > title.size() && path.starts_with(title) && path[title.size()] == '/';
}

}  // namespace

void take_facts(const std::vector<SmiValue>& values, std::span<const SmiFact> facts, Gpu& gpu) {
    for (const SmiFact& fact : facts)
        if (const auto value = value_at(values, fact.path))
            fact.take(gpu, *value);
}

std::optional<std::int64_t> sum_below(const std::vector<SmiValue>& values, std::string_view title,
                                      std::string_view part) {
    std::optional<std::int64_t> sum;
    for (const SmiValue& value : values) {
        if (!is_below(value.path, title) || !last_word(value.path).starts_with(part))
            continue;
        if (const auto number = number_in(value.value); number && *number >= 0 && *number < 1e15)
            sum = sum.value_or(0) + static_cast<std::int64_t>(*number);
    }
    return sum;
}

std::vector<std::string> active_below(const std::vector<SmiValue>& values, std::string_view title) {
    std::vector<std::string> names;
    for (const SmiValue& value : values)
        if (is_below(value.path, title) && switch_in(value.value) == true)
            names.emplace_back(last_word(value.path));
    return names;
}

}  // namespace gpuadapt::ingest

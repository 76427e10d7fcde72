// SPDX-License-Identifier: Apache-2.0
#include "ingest/cpu_ranges.hpp"

#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace gpuadapt::ingest {

std::optional<CpuRanges> cpu_ranges(std::string_view text) {
    CpuRanges named;
    text = trim(text.substr(0, text.find_first_not_of("0123456789,- ")));
    while (!text.empty()) {
        const std::size_t end = text.find_first_of(", ");
        const std::string_view part = text.substr(0, end);
        const std::size_t dash = part.find('-');
        const auto first = scan_int(part);
        const auto last = dash == std::string_view::npos ? first : scan_int(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last > kHighestCpu)
            return std::nullopt;
        named.emplace_back(*first, *last);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        text = text.substr(std::min(text.find_first_not_of(", "), text.size()));
    }
    std::sort(named.begin(), named.end());
    CpuRanges ranges;
    for (const auto& [first, last] : named)
        if (!ranges.empty() && first <= ranges.back().second + 1)
            ranges.back().second = std::max(ranges.back().second, last);
        else
            ranges.emplace_back(first, last);
    return ranges;
}

int count_cpus(const CpuRanges& cpus) {
    int count = 0;
    for (const auto& [first, last] : cpus)
        count += last - first + 1;
    return count;
}

std::string cpu_list(const CpuRanges& cpus) {
    std::string list;
    for (const auto& [first, last] : cpus) {
        list += list.empty() ? "" : ",";
        list += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    }
    return list;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "bench/samples.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace gpuadapt {

namespace {

/// n, min, max, sum
constexpr std::size_t kHead = 4;

}  // namespace

std::string pack_samples(std::span<const double> samples, std::size_t room) {
    if (samples.empty() || room == 0) {
        return {};
    }
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> values{static_cast<double>(sorted.size()), sorted.front(), sorted.back(),
                               std::accumulate(sorted.begin(), sorted.end(), 0.0)};
    const std::size_t kept = std::min(room, sorted.size());
    for (std::size_t i = 0; i < kept; ++i) {
        values.push_back(sorted[(2 * i + 1) * sorted.size() / (2 * kept)]);  // the middle of each of `kept` parts
    }
    std::string text(values.size() * sizeof(double), '\0');
    std::memcpy(text.data(), values.data(), text.size());
    return text;
}

Summary merge_samples(const std::vector<std::string>& packed) {
    std::vector<double> kept;
    double n = 0;
    double sum = 0;
    double min = 0;
    double max = 0;
    for (const std::string& text : packed) {
        std::vector<double> values(text.size() / sizeof(double));
        if (values.size() <= kHead) {
            continue;
        }
        std::memcpy(values.data(), text.data(), values.size() * sizeof(double));
        min = n == 0 ? values[1] : std::min(min, values[1]);
        max = n == 0 ? values[2] : std::max(max, values[2]);
        n += values[0];
        sum += values[3];
        kept.insert(kept.end(), values.begin() + kHead, values.end());
    }
    if (n == 0) {
        return {};
    }
    Summary summary = summarize(kept);
    summary.n = static_cast<std::int64_t>(n);
    summary.min = min;
    summary.max = max;
    summary.mean = sum / n;
    return summary;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/stats.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

namespace gpuadapt {

double percentile_sorted(std::span<const double> sorted, double q) {
    assert(!sorted.empty() && q > 0 && q <= 1);
    const auto n = static_cast<double>(sorted.size());
    // A hair below, so that 0.99 * 100 = 99.00000000000001 still gives rank 99.
    const auto rank = static_cast<std::size_t>(std::ceil(q * n - 1e-9));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

Summary summarize(std::span<const double> samples) {
    Summary summary;
    if (samples.empty())
        return summary;
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    summary.n = static_cast<std::int64_t>(sorted.size());
    summary.min = sorted.front();
    summary.max = sorted.back();
    summary.p50 = percentile_sorted(sorted, 0.50);
    summary.p99 = percentile_sorted(sorted, 0.99);
    summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
    for (double& value : sorted)
        value = std::abs(value - summary.p50);
    std::sort(sorted.begin(), sorted.end());
    summary.mad = percentile_sorted(sorted, 0.50);
    return summary;
}

}  // namespace gpuadapt

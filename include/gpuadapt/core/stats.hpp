// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace gpuadapt {

/// What is kept of a series of samples, in the unit of the samples.
struct Summary {
    std::int64_t n = 0;
    double min = 0;
    double p50 = 0;  ///< nearest rank: sorted[ceil(0.50 n) - 1]
    double p99 = 0;  ///< nearest rank: sorted[ceil(0.99 n) - 1]
    double max = 0;
    double mean = 0;
    double mad = 0;  ///< median of the absolute deviations from p50; a robust spread (Hampel 1974)
    bool operator==(const Summary&) const = default;
};

/// n = 0 gives an all-zero Summary. Samples must be finite.
[[nodiscard]] Summary summarize(std::span<const double> samples);

/// Nearest-rank percentile of sorted samples; q in (0, 1]. The samples must not be empty.
[[nodiscard]] double percentile_sorted(std::span<const double> sorted, double q);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/stats.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(Stats, NearestRankByHand) {
    // 1..100: the p-th percentile by nearest rank is p itself.
    std::vector<double> samples;
    for (int i = 100; i >= 1; --i)
        samples.push_back(i);
    const Summary summary = summarize(samples);
    EXPECT_EQ(summary.n, 100);
    EXPECT_EQ(summary.min, 1);
    EXPECT_EQ(summary.p50, 50);
    EXPECT_EQ(summary.p99, 99);
    EXPECT_EQ(summary.max, 100);
    EXPECT_DOUBLE_EQ(summary.mean, 50.5);
    EXPECT_EQ(summary.mad, 25);
}

TEST(Stats, MadIgnoresOneOutlier) {
    const Summary summary = summarize(std::vector<double>{10, 10, 11, 9, 1000});
    EXPECT_EQ(summary.p50, 10);
    EXPECT_EQ(summary.mad, 1);
    EXPECT_EQ(summary.max, 1000);
}

TEST(Stats, FewSamples) {
    EXPECT_EQ(summarize({}).n, 0);
    const Summary one = summarize(std::vector<double>{3});
    EXPECT_EQ(one.p50, 3);
    EXPECT_EQ(one.p99, 3);
    EXPECT_EQ(one.mad, 0);
}

TEST(ExitStatus, FailureBeatsBlockingUnknown) {
    const auto finding = [](Severity severity, bool blocking) {
        Finding f;
        f.severity = severity;
        f.blocking = blocking;
        return f;
    };
    EXPECT_EQ(exit_status({}, true), 0);
    EXPECT_EQ(exit_status({finding(Severity::note, false), finding(Severity::warning, false)}, false), 0);
    EXPECT_EQ(exit_status({finding(Severity::warning, false)}, true), 1);
    EXPECT_EQ(exit_status({finding(Severity::unknown, false)}, true), 0);
    EXPECT_EQ(exit_status({finding(Severity::unknown, true)}, false), 3);
    EXPECT_EQ(exit_status({finding(Severity::unknown, true), finding(Severity::failure, false)}, false), 1);
}

}  // namespace
}  // namespace gpuadapt

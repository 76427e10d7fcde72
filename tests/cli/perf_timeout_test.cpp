// SPDX-License-Identifier: Apache-2.0
#include "cli/perf_timeout.hpp"

#include <gtest/gtest.h>

namespace gpuadapt::cli {
namespace {

std::vector<RankPlace> places() {
    std::vector<RankPlace> made(4);
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].rank = static_cast<int>(i);
        made[i].host = i < 2 ? "a" : "b";
    }
    return made;
}

Message said_by(const std::string& who) {
    return {who, who + "。"};
}

TEST(TimeOut, TheRankThatDidNotSaySoIsNamed) {
    const Finding finding = time_out_finding({{0, 2, said_by("rank 0 (host a): x has taken more than 5 s")}}, places());
    EXPECT_EQ(finding.check, "perf.timeout");
    EXPECT_EQ(finding.subject, "rank 1");
    EXPECT_EQ(finding.title.en, "rank 1 (host a) did not arrive in time");
    EXPECT_EQ(finding.title.zh, "rank 1（主机 a）未在时限内到达");
    EXPECT_EQ(finding.evidence, said_by("rank 0 (host a): x has taken more than 5 s"));
}

TEST(TimeOut, SeveralAreNamedAlsoWithoutTheirHosts) {
    const std::vector<TimeOut> said{{3, 4, said_by("rank 3")}, {0, 4, said_by("rank 0")}};
    EXPECT_EQ(time_out_finding(said, places()).title.en, "rank 1 (host a), rank 2 (host b) did not arrive in time");
    EXPECT_EQ(time_out_finding(said, places()).subject, "rank 1, 2");
    EXPECT_EQ(time_out_finding(said, {}).title.en, "rank 1, rank 2 did not arrive in time");
}

TEST(TimeOut, RanksThatWereNotAwaitedAreNotBlamed) {
    EXPECT_EQ(time_out_finding({{1, 2, said_by("rank 1")}}, places()).subject, "rank 0");
}

TEST(TimeOut, NobodyIsBlamedWhereItIsNotKnown) {
    for (const std::vector<TimeOut>& said :
         {std::vector<TimeOut>{{0, 0, said_by("rank 0")}}, {{0, 2, said_by("rank 0")}, {3, 0, said_by("rank 3")}}}) {
        const Finding finding = time_out_finding(said, places());
        EXPECT_EQ(finding.subject, "time limit");
        EXPECT_NE(finding.title.en.find("another rank did not arrive in time"), std::string::npos);
    }
    // All have come, so none is missing.
    const Finding finding = time_out_finding({{0, 2, said_by("rank 0")}, {1, 2, said_by("rank 1")}}, places());
    EXPECT_EQ(finding.title.en, "a measurement did not come to its end");
    EXPECT_EQ(finding.subject, "time limit");
}

}  // namespace
}  // namespace gpuadapt::cli

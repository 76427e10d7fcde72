// SPDX-License-Identifier: Apache-2.0
#include "cli/perf_timeout.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpuadapt::cli {
namespace {

/// How many ranks all of them awaited; 0 where one does not know.
int least_awaited(const std::vector<TimeOut>& said) {
    const auto less = [](const TimeOut& a, const TimeOut& b) { return a.awaited < b.awaited; };
    return std::min_element(said.begin(), said.end(), less)->awaited;
}

/// Ranks that were awaited and have not said that they wait.
std::vector<int> absent_ranks(const std::vector<TimeOut>& said, int awaited) {
    std::vector<int> absent;
    for (int rank = 0; rank < awaited; ++rank)
        if (std::none_of(said.begin(), said.end(), [rank](const TimeOut& one) { return one.rank == rank; }))
            absent.push_back(rank);
    return absent;
}

Message absent_title(const std::vector<int>& absent, const std::vector<RankPlace>& places) {
    std::vector<std::string> en;
    std::vector<std::string> zh;
    for (const int rank : absent) {
        const std::string host = host_of(rank, places);
        en.push_back(fmt::format("rank {}{}", rank, host.empty() ? "" : fmt::format(" (host {})", host)));
        zh.push_back(fmt::format("rank {}{}", rank, host.empty() ? " " : fmt::format("（主机 {}）", host)));
    }
    return {fmt::format("{} did not arrive in time", fmt::join(en, ", ")),
            fmt::format("{}未在时限内到达", fmt::join(zh, "、"))};
}

}  // namespace

std::string host_of(int rank, const std::vector<RankPlace>& places) {
    const auto place =
        std::find_if(places.begin(), places.end(), [rank](const RankPlace& one) { return one.rank == rank; });
    return place == places.end() ? "" : place->host;
}

Finding time_out_finding(const std::vector<TimeOut>& said, const std::vector<RankPlace>& places) {
    assert(!said.empty());
    Finding finding;
    finding.severity = Severity::failure;
    finding.check = "perf.timeout";
    finding.evidence = said.front().text;
    const int awaited = least_awaited(said);
    const std::vector<int> absent = absent_ranks(said, awaited);
    if (absent.empty()) {
        const bool known = awaited > 0;  // all have come: it is slow, or they wait for each other
        finding.subject = "time limit";
        finding.title = known ? Message{"a measurement did not come to its end", "测试点超时未结束"}
                              : Message{
                                    "a measurement did not come to its end: it is slow, or another rank did not "
                                    "arrive in time",
                                    "测试点超时未结束：耗时过长，或有其他 rank 未在时限内到达"};
        finding.advice = {
            "Raise --timeout SEC where it is only slow; else look for a process that hangs or a host "
            "that cannot be reached.",
            "若仅耗时较长，请增大 --timeout；否则检查是否有进程挂起或主机不可达。"};
        return finding;
    }
    finding.subject = fmt::format("rank {}", fmt::join(absent, ", "));
    finding.title = absent_title(absent, places);
    finding.advice = {"Look whether its process hangs or its host cannot be reached; --timeout SEC changes the limit.",
                      "检查其进程是否挂起或主机是否不可达；--timeout 可调整时限。"};
    return finding;
}

}  // namespace gpuadapt::cli

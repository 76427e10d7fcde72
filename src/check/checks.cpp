// SPDX-License-Identifier: Apache-2.0
#include "check/rules.hpp"

#include <gpuadapt/check/checks.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gpuadapt::check {
namespace {

constexpr std::array kChecks = {
    Check{"DATA1",
          {"measured data are right", "测量数据正确"},
          {"wrong data", "数据错误"},
          {"A collective that delivers wrong elements is broken, whatever its speed.",
           "集合通信结果有错误元素即为故障，与速度无关。"},
          wrong_data},
    Check{"LATE1",
          {"all ranks enter together", "各 rank 同时进入"},
          {"a rank arrives late", "有 rank 晚到"},
          {"In a synchronising collective the rank that arrives last waits least: a rank with clearly shorter times "
           "holds "
           "up the others.",
           "同步型集合通信中，最后到达的 rank 等待最短：用时明显更短的 rank 拖慢了其他 rank。"},
          late_rank},
    Check{"RUN1",
          {"the run came to its end", "测试完整结束"},
          {"the run was cut short", "测试未完成"},
          {"Points that were never measured must not look like points without a fault.",
           "未测到的点不能被当作没有问题的点。"},
          complete_run},
    Check{
        "TOPO1",
        {"the PCI tree and the vendor's matrix agree", "PCI树与厂商矩阵一致"},
        {"the topology is told in two ways", "拓扑说法不一致"},
        {"Libraries choose their ways by the one, people by the other; where they differ, one of them plans with links "
         "that are not there.",
         "通信库依据其一，人依据另一；两者不同，必有一方按不存在的链路规划。"},
        vendor_topology},
};

}  // namespace

std::span<const Check> checks() {
    return kChecks;
}

Finding finding_of(const Check& self, Severity severity, std::string subject, Message evidence, Message advice) {
    Finding finding;
    finding.severity = severity;
    finding.check = self.id;
    finding.subject = std::move(subject);
    finding.title = Message(severity == Severity::unknown ? self.title : self.problem);
    finding.evidence = std::move(evidence);
    finding.advice = std::move(advice);
    return finding;
}

Outcome not_applicable() {
    return {};
}

Outcome unknown(const Check& self, std::string subject, Message evidence, Message advice) {
    return {State::unknown,
            {finding_of(self, Severity::unknown, std::move(subject), std::move(evidence), std::move(advice))}};
}

void judge(Record& record) {
    StreamingJudge judge(record);
    judge.conclude(record);
}

StreamingJudge::StreamingJudge(const Record& base) : base_(base), outcomes_(kChecks.size()) {
    add_outcomes(base_);
    base_.tables.clear();
    base_.findings.clear();
}

void StreamingJudge::add(const Table& table) {
    base_.tables = {table};
    add_outcomes(base_);
    base_.tables.clear();
}

void StreamingJudge::add_outcomes(const Record& record) {
    // What is unknown of one part is unknown of the whole; what one part says nothing to, another may.
    const auto rank = [](State state) { return state == State::unknown ? 2 : state == State::evaluated ? 1 : 0; };
    for (std::size_t i = 0; i < kChecks.size(); ++i) {
        Outcome& whole = outcomes_[i];
        const Outcome part = kChecks[i].run(record, kChecks[i]);
        if (rank(part.state) > rank(whole.state))
            whole.state = part.state;
        for (const Finding& finding : part.findings)
            if (std::find(whole.findings.begin(), whole.findings.end(), finding) == whole.findings.end())
                whole.findings.push_back(finding);
    }
}

void StreamingJudge::conclude(Record& record) const {
    std::erase_if(record.findings, [](const Finding& finding) {
        return std::any_of(kChecks.begin(), kChecks.end(),
                           [&](const Check& check) { return check.id == finding.check; });
    });
    record.coverage = {};
    for (const Outcome& outcome : outcomes_) {
        record.findings.insert(record.findings.end(), outcome.findings.begin(), outcome.findings.end());
        switch (outcome.state) {
            case State::evaluated:
                ++record.coverage.evaluated;
                break;
            case State::unknown:
                ++record.coverage.unknown;
                break;
            case State::not_applicable:
                ++record.coverage.not_applicable;
                break;
        }
    }
}

}  // namespace gpuadapt::check

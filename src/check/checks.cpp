// SPDX-License-Identifier: Apache-2.0
#include "check/judgement.hpp"
#include "check/rules.hpp"

#include <gpuadapt/check/checks.hpp>

#include <algorithm>
#include <utility>

namespace gpuadapt::check {
namespace {

constexpr AreaName kAreas[] = {
    {Area::acs, "acs", {"PCIe access control (ACS)", "PCIe ACS"}},
    {Area::iommu, "iommu", {"IOMMU", "IOMMU"}},
    {Area::pcie, "pcie", {"PCIe devices and links", "PCIe 设备与链路"}},
    {Area::gpu, "gpu", {"GPUs", "GPU"}},
    {Area::metax, "metax", {"MetaX GPUs", "沐曦 GPU"}},
    {Area::gdr, "gdr", {"GPUDirect RDMA", "GPUDirect RDMA"}},
    {Area::rdma, "rdma", {"RDMA and network", "RDMA 与网络"}},
    {Area::cpu, "cpu", {"processors", "CPU"}},
    {Area::memory, "memory", {"memory and NUMA", "内存与 NUMA"}},
    {Area::platform, "platform", {"board and firmware", "主板与固件"}},
    {Area::os, "os", {"operating system and limits", "操作系统与资源限制"}},
    {Area::agreement, "agreement", {"agreement of the hosts", "主机一致性"}},
    {Area::topology, "topology", {"topology", "拓扑"}},
    {Area::measurement, "measurement", {"measurement", "测量"}},
};

/// One file an area; a new area adds its line here.
constexpr std::span<const Check> (*kTables[])() = {
    acs_checks, iommu_checks,  pcie_checks,     gpu_checks, metax_checks,    gdr_checks,        rdma_checks,
    cpu_checks, memory_checks, platform_checks, os_checks,  topology_checks, measurement_checks};

bool is_of_measurement(const Check& check) {
    return check.area == Area::measurement || check.area == Area::topology;
}

template <class Wanted>
Choice chosen(const Wanted& wanted) {
    Choice choice;
    std::copy_if(checks().begin(), checks().end(), std::back_inserter(choice.checks),
                 [&](const Check* check) { return wanted(*check); });
    return choice;
}

// What is unknown of one part is unknown of the whole; what one part says nothing to, another may.
void merge(Outcome& whole, const Outcome& part) {
    const auto rank = [](State state) { return state == State::unknown ? 2 : state == State::evaluated ? 1 : 0; };
    if (rank(part.state) > rank(whole.state))
        whole.state = part.state;
    for (const Finding& finding : part.findings)
        if (std::find(whole.findings.begin(), whole.findings.end(), finding) == whole.findings.end())
            whole.findings.push_back(finding);
}

bool is_for(const Check& check, const Profile& profile) {
    return !check.except.meets(profile) && (!check.only.any() || check.only.meets(profile));
}

/// What follows from each machine is worked out once for all checks.
std::vector<Subject> subjects_of(const Record& record, const Choice& choice) {
    std::vector<Subject> subjects;
    if (std::any_of(choice.checks.begin(), choice.checks.end(),
                    [](const Check* check) { return check->of_machine != nullptr; }))
        for (const HostMachine& host : record.machines)
            subjects.emplace_back(host, choice);
    return subjects;
}

Outcome run_on(const Check& check, const Record& record, std::span<const Subject> subjects) {
    if (check.of_record != nullptr)
        return check.of_record(record, check);
    Outcome whole;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        if (!is_for(check, subjects[i].profile))
            continue;
        Judgement judgement(check, subjects.size() > 1 ? record.machines[i].host : "");
        check.of_machine(subjects[i], judgement);
        merge(whole, judgement.take());
    }
    return whole;
}

void add_to(Record& record, std::span<const Check* const> judged, std::span<const Outcome> outcomes) {
    std::erase_if(record.findings, [&](const Finding& finding) {
        return std::any_of(judged.begin(), judged.end(),
                           [&](const Check* check) { return check->id == finding.check; });
    });
    record.coverage = {};
    for (const Outcome& outcome : outcomes) {
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

std::vector<Outcome> outcomes_of(const Record& record, const Choice& choice) {
    const std::vector<Subject> subjects = subjects_of(record, choice);
    std::vector<Outcome> outcomes;
    outcomes.reserve(choice.checks.size());
    for (const Check* check : choice.checks)
        outcomes.push_back(run_on(*check, record, subjects));
    return outcomes;
}

}  // namespace

std::span<const AreaName> areas() {
    return kAreas;
}

const AreaName& name_of(Area area) {
    return *std::find_if(std::begin(kAreas), std::end(kAreas),
                         [area](const AreaName& row) { return row.area == area; });
}

std::span<const Check* const> checks() {
    static const std::vector<const Check*> all = [] {
        std::vector<const Check*> list;
        for (const AreaName& row : kAreas)
            for (const auto table : kTables)
                for (const Check& check : table())
                    if (check.area == row.area)
                        list.push_back(&check);
        return list;
    }();
    return all;
}

const Check* find_check(std::string_view id) {
    const auto found = std::find_if(checks().begin(), checks().end(), [id](const Check* one) { return one->id == id; });
    return found == checks().end() ? nullptr : *found;
}

Choice of_measurements() {
    return chosen(is_of_measurement);
}

Choice of_environment() {
    return chosen([](const Check& check) { return !is_of_measurement(check); });
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

Outcome run(const Check& check, const Record& record, const Choice& choice) {
    Choice one = choice;
    one.checks = {&check};
    return run_on(check, record, subjects_of(record, one));
}

void judge(Record& record, const Choice& choice) {
    add_to(record, choice.checks, outcomes_of(record, choice));
}

StreamingJudge::StreamingJudge(const Record& base, Choice choice)
    : base_(base), choice_(std::move(choice)), outcomes_(choice_.checks.size()) {
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
    const std::vector<Outcome> parts = outcomes_of(record, choice_);
    for (std::size_t i = 0; i < parts.size(); ++i)
        merge(outcomes_[i], parts[i]);
}

void StreamingJudge::conclude(Record& record) const {
    add_to(record, choice_.checks, outcomes_);
}

}  // namespace gpuadapt::check

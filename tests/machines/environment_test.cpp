// SPDX-License-Identifier: Apache-2.0
#include "check/judgement.hpp"
#include "machines/cases/case.hpp"
#include "machines/support/recordings.hpp"

#include <gpuadapt/check/checks.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// Each check of the environment fires, is silent, and says unknown on recorded machines, from the files up.
namespace gpuadapt {
namespace {

using check::Check;
using check::Outcome;
using check::State;
using test::CheckCase;
using testing::HasSubstr;

std::vector<CheckCase> all_cases() {
    std::vector<CheckCase> all;
    for (const auto cases :
         {test::acs_cases, test::iommu_cases, test::pcie_cases, test::gpu_cases, test::metax_cases, test::gdr_cases,
          test::rdma_cases, test::cpu_cases, test::memory_cases, test::platform_cases, test::os_cases})
        for (const CheckCase& one : cases())
            all.push_back(one);
    return all;
}

const Answers& recording(std::string_view machine) {
    static std::map<std::string, Answers> read;
    const std::string name(machine);
    const auto found = read.find(name);
    return found != read.end()
               ? found->second
               : read.emplace(name, read_recording(test::recording_of(test::machine_folder(name)))).first->second;
}

Outcome judge(const Check& check, const Answers& answers) {
    MemoryRoot root(answers);
    Record record;
    record.machines = {{"node", probe_machine(root)}};
    return check::run(check, record);
}

/// "a|b": either of two sources will do, so that both are taken away at once.
std::set<std::string> alternatives(std::string_view source) {
    std::set<std::string> names;
    for (std::size_t bar = 0; bar != std::string_view::npos; source.remove_prefix(bar + 1)) {
        bar = source.find('|');
        names.emplace(source.substr(0, bar));
        if (bar == std::string_view::npos)
            break;
    }
    return names;
}

enum class Way { missing, denied, hanging, cut };

AnswerStatus status_of(Way way) {
    return way == Way::denied ? AnswerStatus::denied : AnswerStatus::timed_out;
}

/// Files, links and folders of that name: gone, or with the status of `way`. The count of them.
template <class Answer>
int take_away(std::map<std::string, Answer>& answers, const std::string& source, Way way) {
    int count = 0;
    for (auto entry = answers.begin(); entry != answers.end();) {
        if (!check::matches(source, entry->first)) {
            ++entry;
            continue;
        }
        ++count;
        if (way == Way::missing) {
            entry = answers.erase(entry);
            continue;
        }
        if constexpr (requires { entry->second.text; }) {
            if (way == Way::cut) {
                entry->second.text.resize(std::min<std::size_t>(entry->second.text.size(), 64));
                ++entry;
                continue;
            }
        }
        entry->second = {};
        entry->second.status = status_of(way);
        entry->second.reason = "taken away";
        ++entry;
    }
    return count;
}

/// A library is asked by a child of ours, whose last word is its name; a tool is named by its first.
int take_tool_away(Answers& answers, const std::string& source, Way way) {
    int count = 0;
    for (auto entry = answers.commands.begin(); entry != answers.commands.end();) {
        const std::vector<std::string>& words = entry->first;
        if (words.front() != source && words.back() != source) {
            ++entry;
            continue;
        }
        ++count;
        if (way == Way::missing) {
            entry = answers.commands.erase(entry);
            continue;
        }
        entry->second = {};
        entry->second.status = way == Way::hanging ? CommandStatus::timed_out : CommandStatus::not_run;
        entry->second.reason = "taken away";
        ++entry;
    }
    return count;
}

int take_away(Answers& answers, const std::string& source, Way way) {
    return take_away(answers.files, source, way) + take_away(answers.links, source, way) +
           take_away(answers.lists, source, way) + take_tool_away(answers, source, way);
}

class EnvironmentChecks : public testing::TestWithParam<CheckCase> {
  protected:
    const Check& check_ = *check::find_check(GetParam().check);
    const Answers& healthy_ = recording(GetParam().machine);
};

TEST_P(EnvironmentChecks, AreSilentOnAHealthyMachine) {
    const Outcome outcome = judge(check_, healthy_);
    EXPECT_EQ(outcome.state, State::evaluated) << "the machine must hold what it judges";
    for (const Finding& finding : outcome.findings)
        ADD_FAILURE() << finding.subject << ": " << finding.evidence.en;
}

TEST_P(EnvironmentChecks, FireOnTheFault) {
    Answers sick = healthy_;
    GetParam().change(sick);
    const Outcome outcome = judge(check_, sick);
    ASSERT_FALSE(outcome.findings.empty());
    const Finding& finding = outcome.findings.front();
    EXPECT_NE(finding.severity, Severity::unknown) << finding.evidence.en;
    EXPECT_THAT(finding.subject, HasSubstr(GetParam().subject));
    EXPECT_THAT(finding.evidence.en, HasSubstr(GetParam().evidence));
    EXPECT_FALSE(finding.evidence.zh.empty());
    EXPECT_FALSE(finding.advice.en.empty() && !finding.remedy) << "what is to be done?";
    EXPECT_EQ(finding.advice.en.empty(), finding.advice.zh.empty());
    EXPECT_EQ(finding.check, check_.id);
}

TEST_P(EnvironmentChecks, SayUnknownWithoutTheirSources) {
    ASSERT_FALSE(check_.sources.empty());
    for (const std::string_view source : check_.sources)
        for (const Way way : {Way::missing, Way::denied, Way::hanging, Way::cut}) {
            if (way == Way::cut && !source.ends_with("/config"))
                continue;
            Answers blind = healthy_;
            int taken = 0;
            for (const std::string& name : alternatives(source))
                taken += take_away(blind, name, way);
            EXPECT_GT(taken, 0) << source << " is not in the recording";
            const Outcome outcome = judge(check_, blind);
            EXPECT_EQ(outcome.state, State::unknown) << source << ", way " << static_cast<int>(way);
            ASSERT_FALSE(outcome.findings.empty()) << source;
            for (const Finding& finding : outcome.findings) {
                EXPECT_EQ(finding.severity, Severity::unknown) << source << ": " << finding.evidence.en;
                EXPECT_EQ(finding.blocking, check_.severity == Severity::failure);
                EXPECT_FALSE(finding.evidence.en.empty());
                EXPECT_FALSE(finding.evidence.zh.empty());
            }
        }
}

std::string name_of_case(const testing::TestParamInfo<CheckCase>& info) {
    return std::string(info.param.check) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(All, EnvironmentChecks, testing::ValuesIn(all_cases()), name_of_case);

TEST(EnvironmentChecksTable, EachCheckHasItsCase) {
    std::set<std::string_view> shown;
    for (const CheckCase& one : all_cases()) {
        EXPECT_NE(check::find_check(one.check), nullptr) << one.check;
        shown.insert(one.check);
    }
    for (const Check* check : check::of_environment().checks)
        EXPECT_TRUE(check->of_machine == nullptr || shown.contains(check->id)) << check->id << " has no case";
}

}  // namespace
}  // namespace gpuadapt

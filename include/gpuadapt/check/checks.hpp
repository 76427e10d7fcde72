// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/check/profile.hpp>
#include <gpuadapt/core/expectations.hpp>
#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Rules over a Record. A check sees neither the machine nor a driver: the same Record gives the same findings
/// anywhere.
namespace gpuadapt::check {

/// What a check could say about a Record.
enum class State {
    evaluated,       ///< judged: `findings` holds what is wrong, nothing when all is well
    unknown,         ///< what it needs is not in the Record: `findings` holds an `unknown` that says what
    not_applicable,  ///< the Record is not about that
};

struct Outcome {
    State state = State::not_applicable;
    std::vector<Finding> findings;
};

/// What a check is about: the word of `--only` and `--skip`, and the heading of its findings.
enum class Area {
    acs,
    iommu,
    cpu,
    memory,
    platform,
    pcie,
    gpu,
    metax,
    gdr,
    rdma,
    os,
    agreement,
    topology,
    measurement,
};

struct AreaName {
    Area area;
    std::string_view id;
    Text name;
};

/// In the order in which they are shown.
[[nodiscard]] std::span<const AreaName> areas();
[[nodiscard]] const AreaName& name_of(Area area);

struct Check;
struct Subject;
class Judgement;

/// A rule for a whole Record, or for each machine in it.
using RecordRule = Outcome (*)(const Record& record, const Check& self);
using MachineRule = void (*)(const Subject& subject, Judgement& judgement);

struct Check {
    std::string_view id;
    Area area = Area::measurement;
    Severity severity = Severity::warning;  ///< of its findings; where it is `failure`, not to know it blocks a verdict
    Text title;                             ///< the rule: what holds when all is well
    Text problem;                           ///< title of its findings
    Text reason;                            ///< why the rule exists
    /// What it reads: files with '*' for a part of a path, names of libraries and commands. Without them it is unknown.
    std::span<const std::string_view> sources = {};
    std::string_view reference = {};  ///< where the rule comes from: a specification, a manual, a thread
    Profile only = {};                ///< machines with GPUs of one of these makers; none is set: all machines
    Profile except = {};              ///< not for machines where one of these holds
    RecordRule of_record = nullptr;   ///< one of the two is set
    MachineRule of_machine = nullptr;
};

/// All checks, in the order in which they are listed and run.
[[nodiscard]] std::span<const Check* const> checks();
[[nodiscard]] const Check* find_check(std::string_view id);

/// What to judge by.
struct Choice {
    std::vector<const Check*> checks;        ///< in the order of checks()
    std::optional<Profile> profile;          ///< instead of what each machine shows
    const Expectations* expected = nullptr;  ///< of the model; nullptr: nothing is expected
};

/// The checks of what was measured, and of the topology that a reading shows.
[[nodiscard]] Choice of_measurements();
/// The checks of how a machine is set up.
[[nodiscard]] Choice of_environment();

/// What one check says.
[[nodiscard]] Outcome run(const Check& check, const Record& record, const Choice& choice = {});

/// Runs the chosen checks and adds what they say to `record.findings` and `record.coverage`. Findings of the same
/// checks that the Record already holds are replaced, so that judging twice changes nothing.
void judge(Record& record, const Choice& choice = of_measurements());

/// The same for a Record whose tables come one at a time and are not kept: the rows of a large log.
class StreamingJudge {
  public:
    /// `base` is the Record without those tables.
    explicit StreamingJudge(const Record& base, Choice choice = of_measurements());
    void add(const Table& table);
    /// Adds findings and coverage over all tables to `record`, as judge() would.
    void conclude(Record& record) const;

  private:
    void add_outcomes(const Record& record);
    Record base_;
    Choice choice_;
    std::vector<Outcome> outcomes_;  ///< one a check
};

}  // namespace gpuadapt::check

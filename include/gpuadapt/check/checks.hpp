// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>

#include <span>
#include <string_view>
#include <vector>

/// Rules over a Record. A check sees neither the machine nor a driver: the same Record gives the same findings
/// anywhere.
namespace gpuadapt::check {

/// What a check could say about a Record.
enum class State {
    evaluated,       ///< judged: `findings` holds what is wrong, nothing when all is well
    unknown,         ///< what it needs is not in the Record: `findings` holds one `unknown` that says what
    not_applicable,  ///< the Record is not about that
};

struct Outcome {
    State state = State::not_applicable;
    std::vector<Finding> findings;
};

struct Check {
    std::string_view id;
    Text title;    ///< the rule: what holds when all is well
    Text problem;  ///< title of its findings
    Text reason;   ///< why the rule exists
    Outcome (*run)(const Record& record, const Check& self);
};

/// All checks, in the order in which they are listed and run.
[[nodiscard]] std::span<const Check> checks();

/// Runs all checks and adds what they say to `record.findings` and `record.coverage`. Findings of the same checks
/// that the Record already holds are replaced, so that judging twice changes nothing.
void judge(Record& record);

/// The same for a Record whose tables come one at a time and are not kept: the rows of a large log.
class StreamingJudge {
  public:
    /// `base` is the Record without those tables.
    explicit StreamingJudge(const Record& base);
    void add(const Table& table);
    /// Adds findings and coverage over all tables to `record`, as judge() would.
    void conclude(Record& record) const;

  private:
    void add_outcomes(const Record& record);
    Record base_;
    std::vector<Outcome> outcomes_;  ///< one a check
};

}  // namespace gpuadapt::check

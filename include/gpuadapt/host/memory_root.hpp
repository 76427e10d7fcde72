// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/root.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gpuadapt {

/// Everything that was asked of a machine and what it answered. A value.
struct Answers {
    std::map<std::string, TextAnswer> files;
    std::map<std::string, TextAnswer> links;
    std::map<std::string, ListAnswer> lists;
    std::map<std::string, AnswerStatus> existence;
    std::map<std::vector<std::string>, CommandResult> commands;  ///< by argument list
    std::map<std::string, std::optional<std::string>> lookups;
    Environment environment;
    /// True: what is not here was not asked, so it is unknown (noted as unread). False: it does not exist.
    bool only_asked = false;
    bool operator==(const Answers&) const = default;
};

/// A machine in memory: tests and recordings. Where `lists` says nothing, a folder holds what `files`, `links` and
/// `lists` have below it.
class MemoryRoot : public Root {
  public:
    MemoryRoot() = default;
    explicit MemoryRoot(Answers answers) : answers_(std::move(answers)) {}

    /// For tests: a file with this text, a link, a file that is there but cannot be read.
    void add_file(const std::string& path, std::string text);
    void add_link(const std::string& path, std::string target);
    void add_denied(const std::string& path);
    void remove(const std::string& path);  ///< with all that is below it
    void set_environment(Environment environment) { answers_.environment = std::move(environment); }
    [[nodiscard]] const Answers& answers() const { return answers_; }

    using Root::run;
    [[nodiscard]] CommandResult run(const std::vector<std::string>& argv, const CommandOptions& options) override;
    [[nodiscard]] Environment environment() override { return answers_.environment; }
    [[nodiscard]] std::optional<std::string> lookup(
        const std::string& key, const std::function<std::optional<std::string>()>& compute) override;
    [[nodiscard]] TextAnswer answer_read(const std::string& path, std::size_t limit) override;
    [[nodiscard]] TextAnswer answer_read_part(const std::string& path, std::size_t offset, std::size_t size) override;
    [[nodiscard]] ListAnswer answer_list(const std::string& path) override;
    [[nodiscard]] TextAnswer answer_link(const std::string& path) override;
    [[nodiscard]] AnswerStatus answer_exists(const std::string& path) override;

  protected:
    /// Names in a folder, as the paths of the answers have them; empty for what is none.
    [[nodiscard]] std::set<std::string> names_below(const std::string& folder) const;

  private:
    Answers answers_;
};

}  // namespace gpuadapt

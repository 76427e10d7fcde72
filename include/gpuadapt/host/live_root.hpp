// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/root.hpp>

#include <chrono>
#include <memory>

namespace gpuadapt {

/// This machine, or a tree of files that was copied from another one (`base` other than "/").
///
/// Under another base, links are followed inside it (an absolute target starts at the base again, ".." stops there),
/// so that a hostile tree cannot lead us out; there are no tools and no environment then.
///
/// The environment is the one at the time of construction: MPI_Init and other libraries add variables of their own.
///
/// A read that the kernel does not answer within `read_limit` (a driver that hangs) is given up and noted. It goes on
/// in a thread of its own that is left behind.
class LiveRoot : public Root {
  public:
    /// Throws Error(input) when `base` is no folder that can be opened.
    explicit LiveRoot(const std::string& base = "/",
                      std::chrono::milliseconds read_limit = std::chrono::milliseconds{5000});
    ~LiveRoot() override;

    using Root::run;
    [[nodiscard]] CommandResult run(const std::vector<std::string>& argv, const CommandOptions& options) override;
    [[nodiscard]] Environment environment() override;
    [[nodiscard]] std::optional<std::string> lookup(
        const std::string& key, const std::function<std::optional<std::string>()>& compute) override;
    [[nodiscard]] TextAnswer answer_read(const std::string& path, std::size_t limit) override;
    [[nodiscard]] TextAnswer answer_read_part(const std::string& path, std::size_t offset, std::size_t size) override;
    [[nodiscard]] ListAnswer answer_list(const std::string& path) override;
    [[nodiscard]] TextAnswer answer_link(const std::string& path) override;
    [[nodiscard]] AnswerStatus answer_exists(const std::string& path) override;
    [[nodiscard]] bool at_once(const std::function<void(Root&)>& work) override;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuadapt

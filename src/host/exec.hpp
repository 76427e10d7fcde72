// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/child.hpp"

#include <array>
#include <vector>

namespace gpuadapt {

/// All that a child needs, made before the fork: between fork and execve only async-signal-safe calls are allowed.
class ExecPlan {
  public:
    /// `standard` become stdin, stdout and stderr. The errno of a failed execve is written to `status_fd`.
    /// `spec` must outlive the plan.
    ExecPlan(const ChildSpec& spec, const std::array<int, 3>& standard, int status_fd);

    /// The child's pid, or -1 with errno.
    [[nodiscard]] pid_t fork_and_exec() const;

  private:
    [[noreturn]] void run_child(pid_t parent) const;

    const ChildSpec& spec_;
    std::array<int, 3> standard_;
    int status_fd_;
    std::vector<char*> argv_;
    std::vector<char*> environment_;
};

}  // namespace gpuadapt

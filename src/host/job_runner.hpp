// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace gpuadapt {

/// Runs jobs one after the other in a thread of its own and gives up on one that takes too long: a read() that hangs in
/// a driver can be interrupted by nothing. The thread of such a job is left behind; the next job gets a new one.
class JobRunner {
  public:
    JobRunner() = default;
    ~JobRunner();
    JobRunner(const JobRunner&) = delete;
    JobRunner& operator=(const JobRunner&) = delete;

    /// False when the job did not end within the limit. A job may outlive everything here, so it must own what it uses;
    /// it must not throw. Throws std::system_error when there can be no more threads.
    [[nodiscard]] bool run(std::function<void()> job, std::chrono::milliseconds limit);

  private:
    struct Worker;
    std::shared_ptr<Worker> worker_;
};

}  // namespace gpuadapt

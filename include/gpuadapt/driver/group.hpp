// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/error.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpuadapt {

/// An Error on which all ranks of a group have agreed: its text already names the rank it comes from.
class AgreedError : public Error {
  public:
    using Error::Error;
};

/// The processes that measure together. Each call is collective: all ranks of the group make it, in the same order.
/// Calls other than `barrier` test and sleep 1 ms while they wait, so that waiting ranks do not disturb measured ones.
class Group {
  public:
    virtual ~Group() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// Name of this rank's host.
    [[nodiscard]] virtual const std::string& host() const = 0;
    /// What stands under it: "none" for Solo, else the library and its version: "Open MPI v4.1.4".
    [[nodiscard]] virtual std::string library() const = 0;

    /// Leaves as closely together as the library can: spins. For the moment before a timed run.
    virtual void barrier() = 0;
    /// A barrier for ranks that must not disturb others: it sleeps between its tests.
    /// Throws Error(interrupted) when the others have not come within `limit`; no limit waits for ever.
    virtual void idle_barrier(std::optional<std::chrono::milliseconds> limit) = 0;

    /// `text` of rank `root`, on every rank.
    [[nodiscard]] virtual std::string broadcast(const std::string& text, int root) = 0;
    /// One text a rank, in rank order, on `root`; empty on the others.
    [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text, int root) = 0;
    /// One text a rank, in rank order, on every rank.
    [[nodiscard]] virtual std::vector<std::string> all_gather(const std::string& text) = 0;

    /// A group of the ranks that gave the same `color`, in the order of `key` and then of rank.
    /// nullptr on ranks that gave a negative color. The new group must not outlive this one.
    [[nodiscard]] virtual std::unique_ptr<Group> split(int color, int key) = 0;

    /// Ends all ranks of the job with `status`; does not return. May be called from any thread.
    [[noreturn]] virtual void abort(int status) = 0;

    [[nodiscard]] double max(double value);
    [[nodiscard]] double sum(double value);
    [[nodiscard]] double mean(double value);
    /// One value a rank, in rank order, on every rank.
    [[nodiscard]] std::vector<double> all_values(double value);

    /// The end of a phase: throws AgreedError on all ranks when any rank brings an error. It has the kind of the lowest
    /// such rank and names it and its host.
    void agree(const std::optional<Error>& error);
    /// Runs `phase`, which throws where it cannot go on, and agrees on the outcome. What `phase` throws as AgreedError
    /// keeps its text.
    void together(const std::function<void()>& phase);
    /// How many ranks of the group are on this rank's host.
    [[nodiscard]] int ranks_on_host();

  private:
    void agree_on(const std::string& report);
};

/// One process on its own. `abort` ends the process.
[[nodiscard]] std::unique_ptr<Group> make_solo_group();

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/mpi_api.hpp"

#include <gpuadapt/driver/group.hpp>

namespace gpuadapt {

/// The ranks of an MPI communicator.
class MpiGroup final : public Group {
  public:
    /// `owned` communicators are freed with the group.
    MpiGroup(const mpi::Api& api, mpi::Comm comm, bool owned, std::string host, std::string library);
    MpiGroup(const MpiGroup&) = delete;
    MpiGroup& operator=(const MpiGroup&) = delete;
    ~MpiGroup() override;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    [[nodiscard]] const std::string& host() const override { return host_; }
    [[nodiscard]] std::string library() const override { return library_; }
    void barrier() override;
    void idle_barrier(std::optional<std::chrono::milliseconds> limit) override;
    [[nodiscard]] std::string broadcast(const std::string& text, int root) override;
    [[nodiscard]] std::vector<std::string> gather(const std::string& text, int root) override;
    [[nodiscard]] std::vector<std::string> all_gather(const std::string& text) override;
    [[nodiscard]] std::unique_ptr<Group> split(int color, int key) override;
    [[noreturn]] void abort(int status) override;

    [[nodiscard]] const mpi::Api& api() const { return api_; }
    [[nodiscard]] mpi::Comm comm() const { return comm_; }

  private:
    void complete(mpi::Request request, std::optional<std::chrono::milliseconds> limit, const char* what) const;

    const mpi::Api& api_;
    mpi::Comm comm_;
    bool owned_;
    std::string host_;
    std::string library_;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace gpuadapt

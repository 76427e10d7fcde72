// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/mpi_group.hpp"

#include <gpuadapt/driver/backend.hpp>

#include <array>
#include <map>
#include <utility>

namespace gpuadapt {

/// Moments noted with the host's clock.
class HostMarks {
  public:
    void reserve(std::size_t count);
    void mark() { moments_.push_back(std::chrono::steady_clock::now()); }
    [[nodiscard]] std::vector<double> intervals_us() const;

  private:
    std::vector<std::chrono::steady_clock::time_point> moments_;
};

/// A group of one rank: every collective copies what is sent to where it is received.
class LoneCommunicator final : public Communicator {
  public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void run(const CollectiveCall& call) override;
    void mark() override { marks_.mark(); }
    void reserve_marks(std::size_t count) override { marks_.reserve(count); }
    [[nodiscard]] std::vector<double> intervals_us() override { return marks_.intervals_us(); }
    void wait(std::chrono::milliseconds) override {}
    void abort() noexcept override {}

  private:
    HostMarks marks_;
};

/// The nine collectives over an MPI communicator.
class HostCommunicator final : public Communicator {
  public:
    HostCommunicator(MpiGroup& group, std::int64_t plain_count_limit);
    HostCommunicator(const HostCommunicator&) = delete;
    HostCommunicator& operator=(const HostCommunicator&) = delete;
    ~HostCommunicator() override;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    void run(const CollectiveCall& call) override;
    void mark() override { marks_.mark(); }
    void reserve_marks(std::size_t count) override { marks_.reserve(count); }
    [[nodiscard]] std::vector<double> intervals_us() override { return marks_.intervals_us(); }
    void wait(std::chrono::milliseconds) override {}
    void abort() noexcept override {}

  private:
    /// So many items of a type: what MPI takes for a count of elements that may not fit an int.
    struct Items {
        int count;
        mpi::Datatype type;
    };

    void all_reduce(const CollectiveCall& call);
    void all_gather(const CollectiveCall& call);
    void reduce_scatter(const CollectiveCall& call);
    void reduce_scatter_long(const CollectiveCall& call, bool in_place);
    void alltoall(const CollectiveCall& call);
    void broadcast(const CollectiveCall& call);
    void reduce(const CollectiveCall& call);
    void gather(const CollectiveCall& call);
    void scatter(const CollectiveCall& call);
    void sendrecv(const CollectiveCall& call);

    void create_small_floats();
    [[nodiscard]] mpi::Datatype element(DataType type) const;
    [[nodiscard]] mpi::Op operation(DataType type, ReduceOp op) const;
    [[nodiscard]] Items share(const CollectiveCall& call);
    [[nodiscard]] mpi::Datatype block_type(std::int64_t count, DataType type);
    void require(int result, const char* what) const { mpi::require(api_, result, what); }
    /// Calls `piece(offset in bytes, elements)` until `count` elements are done.
    template <class Piece>
    void in_pieces(std::int64_t count, DataType type, const Piece& piece) const;

    const mpi::Api& api_;
    mpi::Comm comm_;
    int rank_;
    int size_;
    std::int64_t limit_;
    mpi::Datatype half_ = nullptr, bfloat16_ = nullptr;
    std::array<mpi::Op, 8> small_ops_{};  ///< half: sum prod max min; bfloat16: the same
    std::map<std::pair<std::int64_t, DataType>, mpi::Datatype> blocks_;
    HostMarks marks_;
};

}  // namespace gpuadapt

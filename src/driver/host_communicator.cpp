// SPDX-License-Identifier: Apache-2.0
#include "driver/host_communicator.hpp"

#include "driver/host_reduce.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace gpuadapt {

namespace {

constexpr int kTag = 71;

[[nodiscard]] std::int64_t bytes_of(std::int64_t count, DataType type) {
    return count * static_cast<std::int64_t>(data_type_size(type));
}

void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
    if (to != from && bytes > 0) {
        std::memmove(to, from, static_cast<std::size_t>(bytes));
    }
}

}  // namespace

void HostMarks::reserve(std::size_t count) {
    moments_.clear();
    moments_.reserve(count);
}

std::vector<double> HostMarks::intervals_us() const {
    std::vector<double> intervals;
    for (std::size_t i = 1; i < moments_.size(); ++i) {
        intervals.push_back(std::chrono::duration<double, std::micro>(moments_[i] - moments_[i - 1]).count());
    }
    return intervals;
}

void LoneCommunicator::run(const CollectiveCall& call) {
    copy_bytes(call.recv, call.send, bytes_of(call.count, call.type));
}

HostCommunicator::HostCommunicator(MpiGroup& group, std::int64_t plain_count_limit)
    : api_(group.api()), comm_(group.comm()), rank_(group.rank()), size_(group.size()), limit_(plain_count_limit) {
    assert(limit_ > 0 && limit_ < std::int64_t{1} << 31);
    create_small_floats();
}

HostCommunicator::~HostCommunicator() {
    for (auto& [key, type] : blocks_) {
        api_.type_free(&type);
    }
    for (mpi::Op& op : small_ops_) {
        if (op != nullptr) {
            api_.op_free(&op);
        }
    }
    for (mpi::Datatype* type : {&half_, &bfloat16_}) {
        if (*type != nullptr) {
            api_.type_free(type);
        }
    }
}

void HostCommunicator::create_small_floats() {
    for (mpi::Datatype* type : {&half_, &bfloat16_}) {
        require(api_.type_contiguous(2, api_.byte, type), "MPI_Type_contiguous");
        require(api_.type_commit(type), "MPI_Type_commit");
    }
    constexpr std::array kOps{ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min};
    std::size_t at = 0;
    for (const DataType type : {DataType::float16, DataType::bfloat16}) {
        for (const ReduceOp op : kOps) {
            require(api_.op_create(reduce_function(type, op), 1, &small_ops_[at++]), "MPI_Op_create");
        }
    }
}

mpi::Datatype HostCommunicator::element(DataType type) const {
    switch (type) {
        case DataType::int8:
            return api_.int8;
        case DataType::uint8:
            return api_.uint8;
        case DataType::int32:
            return api_.int32;
        case DataType::uint32:
            return api_.uint32;
        case DataType::int64:
            return api_.int64;
        case DataType::uint64:
            return api_.uint64;
        case DataType::float16:
            return half_;
        case DataType::float32:
            return api_.float32;
        case DataType::float64:
            return api_.float64;
        case DataType::bfloat16:
            return bfloat16_;
    }
    return nullptr;
}

mpi::Op HostCommunicator::operation(DataType type, ReduceOp op) const {
    const auto index = op == ReduceOp::avg ? std::size_t{0} : static_cast<std::size_t>(op);
    switch (type) {
        case DataType::float16:
            return small_ops_[index];
        case DataType::bfloat16:
            return small_ops_[4 + index];
        default:
            return std::array{api_.sum, api_.prod, api_.max, api_.min}[index];
    }
}

mpi::Datatype HostCommunicator::block_type(std::int64_t count, DataType type) {
    const auto [position, added] = blocks_.try_emplace({count, type}, nullptr);
    if (!added) {
        return position->second;
    }
    const std::int64_t whole = count / limit_;
    const auto rest = static_cast<int>(count % limit_);
    mpi::Datatype full = nullptr;
    require(api_.type_contiguous(static_cast<int>(limit_), element(type), &full), "MPI_Type_contiguous");
    const std::array lengths{static_cast<int>(whole), rest};
    const std::array<mpi::Aint, 2> begins{0, static_cast<mpi::Aint>(bytes_of(whole * limit_, type))};
    const std::array types{full, element(type)};
    mpi::Datatype block = nullptr;
    require(api_.type_create_struct(rest == 0 ? 1 : 2, lengths.data(), begins.data(), types.data(), &block),
            "MPI_Type_create_struct");
    require(api_.type_commit(&block), "MPI_Type_commit");
    require(api_.type_free(&full), "MPI_Type_free");
    position->second = block;
    return block;
}

/// One rank's share of a collective that moves `size` such shares. Open MPI 4.1 also computes size * count as an int in
/// places, so the whole must stay below the limit, not only the share.
HostCommunicator::Items HostCommunicator::share(const CollectiveCall& call) {
    if (call.count <= limit_ / size_) {
        return {static_cast<int>(call.count), element(call.type)};
    }
    return {1, block_type(call.count, call.type)};
}

template <class Piece>
void HostCommunicator::in_pieces(std::int64_t count, DataType type, const Piece& piece) const {
    std::int64_t done = 0;
    do {
        const std::int64_t now = std::min(count - done, limit_);
        piece(bytes_of(done, type), static_cast<int>(now));
        done += now;
    } while (done < count);
}

void HostCommunicator::run(const CollectiveCall& call) {
    switch (call.kind) {
        case CollectiveKind::all_reduce:
            return all_reduce(call);
        case CollectiveKind::all_gather:
            return all_gather(call);
        case CollectiveKind::reduce_scatter:
            return reduce_scatter(call);
        case CollectiveKind::alltoall:
            return alltoall(call);
        case CollectiveKind::broadcast:
            return broadcast(call);
        case CollectiveKind::reduce:
            return reduce(call);
        case CollectiveKind::gather:
            return gather(call);
        case CollectiveKind::scatter:
            return scatter(call);
        case CollectiveKind::sendrecv:
            return sendrecv(call);
    }
}

void HostCommunicator::all_reduce(const CollectiveCall& call) {
    const mpi::Datatype type = element(call.type);
    const mpi::Op op = operation(call.type, call.op);
    in_pieces(call.count, call.type, [&](std::int64_t offset, int count) {
        const void* send = call.send == call.recv ? mpi::in_place() : call.send + offset;
        require(api_.allreduce(send, call.recv + offset, count, type, op, comm_), "MPI_Allreduce");
    });
    if (call.op == ReduceOp::avg) {
        divide(call.recv, call.count, call.type, size_);
    }
}

void HostCommunicator::all_gather(const CollectiveCall& call) {
    const Items items = share(call);
    const bool in_place = call.send == call.recv + bytes_of(call.count * rank_, call.type);
    require(api_.allgather(in_place ? mpi::in_place() : call.send, items.count, items.type, call.recv, items.count,
                           items.type, comm_),
            "MPI_Allgather");
}

void HostCommunicator::reduce_scatter(const CollectiveCall& call) {
    std::byte* own = const_cast<std::byte*>(call.send) + bytes_of(call.count * rank_, call.type);
    const bool in_place = call.recv == own;
    if (call.count > limit_ / size_) {
        reduce_scatter_long(call, in_place);
    } else if (in_place) {
        // MPI leaves the result at the beginning of the buffer, NCCL at the rank's place.
        auto* all = const_cast<std::byte*>(call.send);
        require(api_.reduce_scatter_block(mpi::in_place(), all, static_cast<int>(call.count), element(call.type),
                                          operation(call.type, call.op), comm_),
                "MPI_Reduce_scatter_block");
        copy_bytes(own, all, bytes_of(call.count, call.type));
    } else {
        require(api_.reduce_scatter_block(call.send, call.recv, static_cast<int>(call.count), element(call.type),
                                          operation(call.type, call.op), comm_),
                "MPI_Reduce_scatter_block");
    }
    if (call.op == ReduceOp::avg) {
        divide(call.recv, call.count, call.type, size_);
    }
}

/// MPI's predefined operations do not take derived types, so a long one is a reduction to each rank in turn.
void HostCommunicator::reduce_scatter_long(const CollectiveCall& call, bool in_place) {
    for (int root = 0; root < size_; ++root) {
        const std::byte* part = call.send + bytes_of(call.count * root, call.type);
        in_pieces(call.count, call.type, [&](std::int64_t offset, int count) {
            const bool own = root == rank_;
            const void* send = own && in_place ? mpi::in_place() : part + offset;
            require(api_.reduce(send, own ? call.recv + offset : nullptr, count, element(call.type),
                                operation(call.type, call.op), root, comm_),
                    "MPI_Reduce");
        });
    }
}

void HostCommunicator::alltoall(const CollectiveCall& call) {
    const Items items = share(call);
    require(api_.alltoall(call.send == call.recv ? mpi::in_place() : call.send, items.count, items.type, call.recv,
                          items.count, items.type, comm_),
            "MPI_Alltoall");
}

void HostCommunicator::broadcast(const CollectiveCall& call) {
    std::byte* data = rank_ == call.root ? const_cast<std::byte*>(call.send) : call.recv;
    in_pieces(call.count, call.type, [&](std::int64_t offset, int count) {
        require(api_.bcast(data + offset, count, element(call.type), call.root, comm_), "MPI_Bcast");
    });
    if (rank_ == call.root) {  // NCCL's broadcast also fills the root's receive buffer
        copy_bytes(call.recv, call.send, bytes_of(call.count, call.type));
    }
}

void HostCommunicator::reduce(const CollectiveCall& call) {
    const bool root = rank_ == call.root;
    in_pieces(call.count, call.type, [&](std::int64_t offset, int count) {
        const void* send = root && call.send == call.recv ? mpi::in_place() : call.send + offset;
        require(api_.reduce(send, root ? call.recv + offset : nullptr, count, element(call.type),
                            operation(call.type, call.op), call.root, comm_),
                "MPI_Reduce");
    });
    if (root && call.op == ReduceOp::avg) {
        divide(call.recv, call.count, call.type, size_);
    }
}

void HostCommunicator::gather(const CollectiveCall& call) {
    const Items items = share(call);
    const bool root = rank_ == call.root;
    const bool in_place = root && call.send == call.recv + bytes_of(call.count * rank_, call.type);
    require(api_.gather(in_place ? mpi::in_place() : call.send, items.count, items.type, root ? call.recv : nullptr,
                        items.count, items.type, call.root, comm_),
            "MPI_Gather");
}

void HostCommunicator::scatter(const CollectiveCall& call) {
    const Items items = share(call);
    const bool root = rank_ == call.root;
    const bool in_place = root && call.recv == call.send + bytes_of(call.count * rank_, call.type);
    require(api_.scatter(root ? call.send : nullptr, items.count, items.type,
                         in_place ? mpi::in_place() : static_cast<void*>(call.recv), items.count, items.type, call.root,
                         comm_),
            "MPI_Scatter");
}

void HostCommunicator::sendrecv(const CollectiveCall& call) {
    const int next = (rank_ + 1) % size_;
    const int previous = (rank_ + size_ - 1) % size_;
    const mpi::Datatype type = element(call.type);
    in_pieces(call.count, call.type, [&](std::int64_t offset, int count) {
        if (call.send == call.recv) {
            require(api_.sendrecv_replace(call.recv + offset, count, type, next, kTag, previous, kTag, comm_, nullptr),
                    "MPI_Sendrecv_replace");
        } else {
            require(api_.sendrecv(call.send + offset, count, type, next, kTag, call.recv + offset, count, type,
                                  previous, kTag, comm_, nullptr),
                    "MPI_Sendrecv");
        }
    });
}

}  // namespace gpuadapt

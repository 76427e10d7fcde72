// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/data_type.hpp>
#include <gpuadapt/driver/group.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpuadapt {

/// In the order in which the guide measures them.
enum class CollectiveKind {
    all_gather,
    all_reduce,
    alltoall,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
    sendrecv,  ///< a ring: each rank sends to rank + 1 and receives from rank - 1
};

/// One collective as NCCL takes it: `count` elements of the whole message for all_reduce, broadcast, reduce and
/// sendrecv, of one rank's share for the others. In place means what it means to NCCL (send == recv; all_gather and
/// gather: send == recv + rank * count; reduce_scatter and scatter: recv == send + rank * count).
struct CollectiveCall {
    CollectiveKind kind = CollectiveKind::all_reduce;
    const std::byte* send = nullptr;
    std::byte* recv = nullptr;
    std::int64_t count = 0;
    DataType type = DataType::float32;
    ReduceOp op = ReduceOp::sum;
    int root = 0;
};

class Backend;

/// Memory of a Backend: host or device memory. Move-only; must not outlive its backend.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Backend& backend, std::byte* data, std::size_t size) : backend_(&backend), data_(data), size_(size) {}
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();
    /// An address in the backend's memory; only the host backend's may be read here.
    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    Backend* backend_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// The ranks of a Group, ready for collectives on a Backend's memory.
class Communicator {
  public:
    virtual ~Communicator() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// Starts a collective behind those started before. It may be over when this returns (host) or not (GPU).
    /// Throws Error(tool) when the library refuses it.
    virtual void run(const CollectiveCall& call) = 0;
    /// Notes the moment between the calls before and after it: the clock on the host, an event on a device.
    virtual void mark() = 0;
    /// Room for `count` marks, so that `mark` does not allocate. Forgets those noted before.
    virtual void reserve_marks(std::size_t count) = 0;
    /// Microseconds between each mark and the next. Call `wait` first.
    [[nodiscard]] virtual std::vector<double> intervals_us() = 0;
    /// Until all collectives are over. Throws Error(interrupted) after `limit`, Error(tool) when one failed.
    /// A host collective has ended before; what guards it is the watchdog.
    virtual void wait(std::chrono::milliseconds limit) = 0;
    /// Gives up what is under way, so that the process can end. The communicator is not usable any more.
    virtual void abort() noexcept = 0;
};

/// How much of it can be allocated.
struct BackendMemory {
    std::optional<std::int64_t> available_bytes;  ///< nullopt: not known
    bool shared_by_host = true;                   ///< all ranks of a host take from it (host memory)
};

/// Where the data are and who moves them: host memory with MPI, or a GPU with its runtime and collective library.
class Backend {
  public:
    virtual ~Backend() = default;
    /// "host" or a vendor id.
    [[nodiscard]] virtual std::string name() const = 0;
    /// The library that does the collectives, with its version: "Open MPI v4.1.4", "NCCL 2.27.5".
    [[nodiscard]] virtual std::string library() const = 0;
    [[nodiscard]] virtual bool supports(DataType type, ReduceOp op) const = 0;
    [[nodiscard]] virtual BackendMemory memory() const = 0;

    /// Throws Error(tool) when there is not so much. Aligned to 4096 bytes.
    [[nodiscard]] virtual Buffer allocate(std::size_t bytes) = 0;
    /// Host memory to this backend's. These three are over when they return.
    virtual void write(std::byte* destination, std::span<const std::byte> source) = 0;
    /// This backend's memory to the host's.
    virtual void read(std::span<std::byte> destination, const std::byte* source) = 0;
    /// Inside this backend's memory; the two parts do not overlap.
    virtual void copy(std::byte* destination, const std::byte* source, std::size_t bytes) = 0;
    /// The same bytes for the host to read, nullptr when the host cannot see this memory.
    [[nodiscard]] virtual const std::byte* host_view(const std::byte* address) const = 0;

    /// Collective over `group`, which must outlive the communicator.
    [[nodiscard]] virtual std::unique_ptr<Communicator> communicator(Group& group) = 0;

  private:
    friend class Buffer;
    virtual void release(std::byte* data, std::size_t size) noexcept = 0;
};

struct HostBackendOptions {
    /// Bytes of host memory that can be had now (MemAvailable of /proc/meminfo); nullopt: not known.
    std::function<std::optional<std::int64_t>()> available_memory;
    /// Longest message in elements that is handed to MPI as one plain count, below 2^31: its counts are `int`.
    /// Reductions beyond are cut, copies beyond go as derived types. Smaller only in tests.
    std::int64_t plain_count_limit = std::int64_t{1} << 30;
};

/// The nine collectives on host memory with MPI. Takes groups from MpiSession, and groups of one rank.
/// Sums, products, minima and maxima of half and bfloat16 are computed in float and rounded to nearest even at each
/// step; avg is the sum divided by the number of ranks (integers: rounded towards zero), as NCCL does.
/// In place, alltoall (MPI_IN_PLACE) and sendrecv (MPI_Sendrecv_replace) exchange through a copy of MPI's own, because
/// MPI forbids overlapping buffers: what NCCL leaves undefined is defined here, and costs that copy.
[[nodiscard]] std::unique_ptr<Backend> make_host_backend(HostBackendOptions options);

}  // namespace gpuadapt

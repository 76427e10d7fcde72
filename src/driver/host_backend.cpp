// SPDX-License-Identifier: Apache-2.0
#include "driver/host_communicator.hpp"

#include <gpuadapt/driver/backend.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace gpuadapt {

namespace {

constexpr std::size_t kAlignment = 4096;

class HostBackend final : public Backend {
  public:
    explicit HostBackend(HostBackendOptions options) : options_(std::move(options)) {}

    [[nodiscard]] std::string name() const override { return "host"; }
    [[nodiscard]] std::string library() const override { return library_; }
    [[nodiscard]] bool supports(DataType, ReduceOp) const override { return true; }
    [[nodiscard]] BackendMemory memory() const override {
        return {options_.available_memory ? options_.available_memory() : std::nullopt, true};
    }

    [[nodiscard]] Buffer allocate(std::size_t bytes) override {
        std::byte* data = nullptr;
        if (bytes <= static_cast<std::size_t>(PTRDIFF_MAX) - kAlignment) {
            const std::size_t rounded = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
            data = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
        }
        if (data == nullptr) {
            const std::string number = std::to_string(bytes);
            throw tool_error(
                Message{"cannot allocate " + number + " bytes of host memory", "无法分配 " + number + " 字节主机内存"});
        }
        return {*this, data, bytes};
    }

    void write(std::byte* destination, std::span<const std::byte> source) override {
        copy(destination, source.data(), source.size());
    }
    void read(std::span<std::byte> destination, const std::byte* source) override {
        copy(destination.data(), source, destination.size());
    }
    void copy(std::byte* destination, const std::byte* source, std::size_t bytes) override {
        if (bytes > 0) {
            std::memcpy(destination, source, bytes);
        }
    }
    [[nodiscard]] const std::byte* host_view(const std::byte* address) const override { return address; }

    [[nodiscard]] std::unique_ptr<Communicator> communicator(Group& group) override {
        if (group.size() == 1) {
            return std::make_unique<LoneCommunicator>();
        }
        auto* ranks = dynamic_cast<MpiGroup*>(&group);
        if (ranks == nullptr) {
            throw tool_error(Message{"collectives on host memory need ranks that MPI connects",
                                     "主机内存上的集合操作需要由 MPI 连接的 rank"});
        }
        library_ = ranks->library();
        return std::make_unique<HostCommunicator>(*ranks, options_.plain_count_limit);
    }

  private:
    void release(std::byte* data, std::size_t) noexcept override { std::free(data); }

    HostBackendOptions options_;
    std::string library_ = "memcpy";
};

}  // namespace

std::unique_ptr<Backend> make_host_backend(HostBackendOptions options) {
    return std::make_unique<HostBackend>(std::move(options));
}

}  // namespace gpuadapt

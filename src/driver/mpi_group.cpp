// SPDX-License-Identifier: Apache-2.0
#include "driver/mpi_group.hpp"

#include <array>
#include <climits>
#include <cstdint>
#include <numeric>
#include <thread>

#include <unistd.h>

namespace gpuadapt {

namespace {

using Clock = std::chrono::steady_clock;

/// Ranks that come at the same time find each other within this; only then does waiting begin to cost sleeps.
constexpr std::chrono::microseconds kSpin{200};
constexpr std::chrono::milliseconds kSleep{1};

/// Lengths and beginnings of the texts of all ranks, as MPI takes them.
struct Layout {
    std::vector<int> counts, begins;
    std::string bytes;

    explicit Layout(const std::vector<std::int64_t>& lengths) {
        std::int64_t total = 0;
        for (const std::int64_t length : lengths) {
            if (length < 0 || length > INT_MAX - total) {
                throw tool_error("a message between the ranks is longer than 2 GiB");
            }
            counts.push_back(static_cast<int>(length));
            begins.push_back(static_cast<int>(total));
            total += length;
        }
        bytes.resize(static_cast<std::size_t>(total));
    }

    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            parts.push_back(bytes.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(counts[i])));
        }
        return parts;
    }
};

}  // namespace

MpiGroup::MpiGroup(const mpi::Api& api, mpi::Comm comm, bool owned, std::string host, std::string library)
    : api_(api), comm_(comm), owned_(owned), host_(std::move(host)), library_(std::move(library)) {
    mpi::require(api_, api_.comm_rank(comm_, &rank_), "MPI_Comm_rank");
    mpi::require(api_, api_.comm_size(comm_, &size_), "MPI_Comm_size");
}

MpiGroup::~MpiGroup() {
    if (owned_) {
        api_.comm_free(&comm_);
    }
}

void MpiGroup::complete(mpi::Request request, std::optional<std::chrono::milliseconds> limit, const char* what) const {
    const Clock::time_point start = Clock::now();
    for (;;) {
        int done = 0;
        mpi::require(api_, api_.test(&request, &done, nullptr), what);
        if (done != 0) {
            return;
        }
        const auto waited = Clock::now() - start;
        if (limit && waited > *limit) {
            throw Error(ErrorKind::interrupted,
                        std::string(what) + ": not all ranks came within " + std::to_string(limit->count()) + " ms");
        }
        if (waited > kSpin) {
            std::this_thread::sleep_for(kSleep);
        }
    }
}

void MpiGroup::barrier() {
    mpi::require(api_, api_.barrier(comm_), "MPI_Barrier");
}

void MpiGroup::idle_barrier(std::optional<std::chrono::milliseconds> limit) {
    mpi::Request request = nullptr;
    mpi::require(api_, api_.ibarrier(comm_, &request), "MPI_Ibarrier");
    complete(request, limit, "MPI_Ibarrier");
}

std::string MpiGroup::broadcast(const std::string& text, int root) {
    auto length = static_cast<std::int64_t>(text.size());
    if (rank_ == root && length > INT_MAX) {
        length = -1;  // all ranks must hear of it
    }
    mpi::Request request = nullptr;
    mpi::require(api_, api_.ibcast(&length, sizeof length, api_.byte, root, comm_, &request), "MPI_Ibcast");
    complete(request, std::nullopt, "MPI_Ibcast");
    if (length < 0) {
        throw tool_error("a message between the ranks is longer than 2 GiB");
    }
    std::string bytes = text;
    bytes.resize(static_cast<std::size_t>(length));
    mpi::require(api_, api_.ibcast(bytes.data(), static_cast<int>(length), api_.byte, root, comm_, &request),
                 "MPI_Ibcast");
    complete(request, std::nullopt, "MPI_Ibcast");
    return bytes;
}

std::vector<std::string> MpiGroup::gather(const std::string& text, int root) {
    const auto length = static_cast<std::int64_t>(text.size());
    std::vector<std::int64_t> lengths(rank_ == root ? static_cast<std::size_t>(size_) : 0);
    mpi::Request request = nullptr;
    mpi::require(api_,
                 api_.igather(&length, sizeof length, api_.byte, lengths.data(), sizeof length, api_.byte, root, comm_,
                              &request),
                 "MPI_Igather");
    complete(request, std::nullopt, "MPI_Igather");
    Layout layout(lengths);
    mpi::require(api_,
                 api_.igatherv(text.data(), static_cast<int>(length), api_.byte, layout.bytes.data(),
                               layout.counts.data(), layout.begins.data(), api_.byte, root, comm_, &request),
                 "MPI_Igatherv");
    complete(request, std::nullopt, "MPI_Igatherv");
    return layout.texts();
}

std::vector<std::string> MpiGroup::all_gather(const std::string& text) {
    const auto length = static_cast<std::int64_t>(text.size());
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(size_));
    mpi::Request request = nullptr;
    mpi::require(
        api_,
        api_.iallgather(&length, sizeof length, api_.byte, lengths.data(), sizeof length, api_.byte, comm_, &request),
        "MPI_Iallgather");
    complete(request, std::nullopt, "MPI_Iallgather");
    Layout layout(lengths);
    mpi::require(api_,
                 api_.iallgatherv(text.data(), static_cast<int>(length), api_.byte, layout.bytes.data(),
                                  layout.counts.data(), layout.begins.data(), api_.byte, comm_, &request),
                 "MPI_Iallgatherv");
    complete(request, std::nullopt, "MPI_Iallgatherv");
    return layout.texts();
}

std::unique_ptr<Group> MpiGroup::split(int color, int key) {
    idle_barrier(std::nullopt);  // MPI_Comm_split spins for those who are late
    mpi::Comm part = nullptr;
    mpi::require(api_, api_.comm_split(comm_, color < 0 ? mpi::kUndefined : color, key, &part), "MPI_Comm_split");
    if (part == api_.comm_null) {
        return nullptr;
    }
    return std::make_unique<MpiGroup>(api_, part, true, host_, library_);
}

void MpiGroup::abort(int status) {
    // MPI_Abort tells mpirun, which ends the others. Should it hang too, this process still goes.
    std::thread([status] {
        std::this_thread::sleep_for(std::chrono::seconds(5));
        _exit(status);
    }).detach();
    api_.abort(api_.comm_world, status);
    _exit(status);
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "bench/support/thread_group.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace gpuadapt::test {

namespace {

/// What the threads of a group share: one exchange of texts at a time.
struct Shared {
    explicit Shared(int ranks) : size(ranks), texts(static_cast<std::size_t>(ranks)) {}

    int size;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> texts;
    int arrived = 0;
    int leaving = 0;
    std::map<int, std::shared_ptr<Shared>> parts;  ///< by color, while a split is under way

    std::vector<std::string> exchange(int rank, const std::string& text,
                                      std::optional<std::chrono::milliseconds> limit) {
        const auto deadline = std::chrono::steady_clock::now() + limit.value_or(std::chrono::hours(1));
        std::unique_lock lock(mutex);
        await(lock, deadline, [this] { return leaving == 0; });
        texts[static_cast<std::size_t>(rank)] = text;
        if (++arrived == size) {
            leaving = size;
            changed.notify_all();
        } else {
            await(lock, deadline, [this] { return leaving > 0; });
        }
        std::vector<std::string> result = texts;
        if (--leaving == 0) {
            arrived = 0;
            changed.notify_all();
        }
        return result;
    }

    template <class Condition>
    void await(std::unique_lock<std::mutex>& lock, std::chrono::steady_clock::time_point deadline,
               const Condition& condition) {
        if (!changed.wait_until(lock, deadline, condition)) {
            throw Error(ErrorKind::interrupted, "not all ranks came in time");
        }
    }
};

class ThreadGroup final : public Group {
  public:
    ThreadGroup(std::shared_ptr<Shared> shared, int rank, std::string host)
        : shared_(std::move(shared)), rank_(rank), host_(std::move(host)) {}

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return shared_->size; }
    [[nodiscard]] const std::string& host() const override { return host_; }
    [[nodiscard]] std::string library() const override { return "threads"; }
    void barrier() override { shared_->exchange(rank_, {}, std::nullopt); }
    void idle_barrier(std::optional<std::chrono::milliseconds> limit) override { shared_->exchange(rank_, {}, limit); }
    [[nodiscard]] std::string broadcast(const std::string& text, int root) override {
        return all_gather(text)[static_cast<std::size_t>(root)];
    }
    [[nodiscard]] std::vector<std::string> gather(const std::string& text, int root) override {
        std::vector<std::string> texts = all_gather(text);
        return rank_ == root ? texts : std::vector<std::string>{};
    }
    [[nodiscard]] std::vector<std::string> all_gather(const std::string& text) override {
        return shared_->exchange(rank_, text, std::nullopt);
    }

    [[nodiscard]] std::unique_ptr<Group> split(int color, int key) override {
        const std::vector<std::string> wishes = all_gather(std::to_string(color) + ' ' + std::to_string(key));
        std::vector<std::pair<int, int>> members;  // key, rank
        for (int other = 0; other < size(); ++other) {
            const std::string& wish = wishes[static_cast<std::size_t>(other)];
            if (std::stoi(wish) == color) {
                members.emplace_back(std::stoi(wish.substr(wish.find(' '))), other);
            }
        }
        std::sort(members.begin(), members.end());
        std::shared_ptr<Shared> part;
        if (color >= 0) {
            const std::lock_guard lock(shared_->mutex);
            std::shared_ptr<Shared>& slot = shared_->parts[color];
            if (!slot) {
                slot = std::make_shared<Shared>(static_cast<int>(members.size()));
            }
            part = slot;
        }
        barrier();
        {
            const std::lock_guard lock(shared_->mutex);
            shared_->parts.clear();
        }
        barrier();
        if (!part) {
            return nullptr;
        }
        const auto own = std::find(members.begin(), members.end(), std::pair{key, rank_});
        return std::make_unique<ThreadGroup>(part, static_cast<int>(own - members.begin()), host_);
    }

    [[noreturn]] void abort(int status) override {
        throw std::runtime_error("abort with status " + std::to_string(status));
    }

  private:
    std::shared_ptr<Shared> shared_;
    int rank_;
    std::string host_;
};

}  // namespace

void run_ranks(int size, const std::function<void(Group&)>& body, int ranks_per_host) {
    const auto shared = std::make_shared<Shared>(size);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            try {
                ThreadGroup group(shared, rank, "host" + std::to_string(rank / ranks_per_host));
                body(group);
            } catch (...) {
                errors[static_cast<std::size_t>(rank)] = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
}

}  // namespace gpuadapt::test

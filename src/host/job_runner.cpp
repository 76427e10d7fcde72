// SPDX-License-Identifier: Apache-2.0
#include "host/job_runner.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace gpuadapt {

struct JobRunner::Worker {
    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> job;  ///< set by us, taken by the thread
    bool busy = false;          ///< from the handing over of a job to its end
    bool stop = false;
    std::thread thread;

    static void work(const std::shared_ptr<Worker>& self) {
        std::unique_lock lock(self->mutex);
        while (true) {
            self->changed.wait(lock, [&] { return self->stop || self->job; });
            if (!self->job)
                return;
            {
                const std::function<void()> job = std::exchange(self->job, nullptr);
                lock.unlock();
                job();
            }
            lock.lock();
            self->busy = false;
            lock.unlock();  // else the one that is woken would wait for us again
            self->changed.notify_all();
            lock.lock();
        }
    }
};

JobRunner::~JobRunner() {
    if (!worker_)
        return;
    {
        const std::lock_guard lock(worker_->mutex);
        worker_->stop = true;
    }
    worker_->changed.notify_all();
    worker_->thread.join();  // a worker that is kept is idle
}

bool JobRunner::run(std::function<void()> job, std::chrono::milliseconds limit) {
    if (!worker_) {
        auto worker = std::make_shared<Worker>();
        worker->thread = std::thread([worker] { Worker::work(worker); });
        worker_ = std::move(worker);  // not one whose thread could not be started: there is nothing to join
    }
    std::unique_lock lock(worker_->mutex);
    worker_->job = std::move(job);
    worker_->busy = true;
    lock.unlock();
    worker_->changed.notify_all();
    lock.lock();
    if (worker_->changed.wait_for(lock, limit, [&] { return !worker_->busy; }))
        return true;
    worker_->stop = true;
    worker_->thread.detach();
    lock.unlock();
    worker_.reset();
    return false;
}

}  // namespace gpuadapt

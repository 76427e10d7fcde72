// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/backend.hpp>

#include <utility>

namespace gpuadapt {

Buffer::Buffer(Buffer&& other) noexcept
    : backend_(std::exchange(other.backend_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    if (this != &other) {
        Buffer old = std::move(*this);
        backend_ = std::exchange(other.backend_, nullptr);
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

Buffer::~Buffer() {
    if (backend_ != nullptr && data_ != nullptr) {
        backend_->release(data_, size_);
    }
}

}  // namespace gpuadapt

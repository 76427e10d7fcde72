// SPDX-License-Identifier: Apache-2.0
#include "bench/support/reference_backend.hpp"

#include <gpuadapt/driver/small_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <type_traits>

namespace gpuadapt::test {

namespace {

template <class Value>
Value get(const std::byte* from) {
    Value value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// `a * b` or `a + b` as the hardware does it: integers wrap (in place, results are reduced again and again).
template <class Value, class Operation>
Value wrapping(Value a, Value b, const Operation& operation) {
    if constexpr (std::is_integral_v<Value>) {
        return static_cast<Value>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    } else {
        return operation(a, b);
    }
}

template <class Value>
Value reduce_two(Value a, Value b, ReduceOp op) {
    switch (op) {
        case ReduceOp::prod:
            return wrapping(a, b, std::multiplies<>());
        case ReduceOp::max:
            return std::max(a, b);
        case ReduceOp::min:
            return std::min(a, b);
        default:
            return wrapping(a, b, std::plus<>());
    }
}

/// Integers are reduced as such: a double does not hold all of int64.
template <class Value>
void reduce_integers(std::byte* to, const std::vector<const std::byte*>& parts, std::int64_t count, ReduceOp op) {
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i) * sizeof(Value);
        Value value = get<Value>(parts[0] + at);
        for (std::size_t rank = 1; rank < parts.size(); ++rank) {
            value = reduce_two(value, get<Value>(parts[rank] + at), op);
        }
        if (op == ReduceOp::avg) {
            value = static_cast<Value>(value / static_cast<Value>(parts.size()));
        }
        std::memcpy(to + at, &value, sizeof value);
    }
}

void reduce_reals(std::byte* to, const std::vector<const std::byte*>& parts, std::int64_t count, DataType type,
                  ReduceOp op) {
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i) * data_type_size(type);
        double value = load_element(parts[0] + at, type);
        for (std::size_t rank = 1; rank < parts.size(); ++rank) {
            value = reduce_two(value, load_element(parts[rank] + at, type), op);
        }
        store_element(to + at, type, op == ReduceOp::avg ? value / static_cast<double>(parts.size()) : value);
    }
}

void reduce(std::byte* to, const std::vector<const std::byte*>& parts, std::int64_t count, DataType type, ReduceOp op) {
    switch (type) {
        case DataType::int8:
            return reduce_integers<std::int8_t>(to, parts, count, op);
        case DataType::uint8:
            return reduce_integers<std::uint8_t>(to, parts, count, op);
        case DataType::int32:
            return reduce_integers<std::int32_t>(to, parts, count, op);
        case DataType::uint32:
            return reduce_integers<std::uint32_t>(to, parts, count, op);
        case DataType::int64:
            return reduce_integers<std::int64_t>(to, parts, count, op);
        case DataType::uint64:
            return reduce_integers<std::uint64_t>(to, parts, count, op);
        default:
            return reduce_reals(to, parts, count, type, op);
    }
}

class ReferenceCommunicator final : public Communicator {
  public:
    ReferenceCommunicator(Group& group, const ReferenceOptions& options) : group_(group), options_(options) {}

    [[nodiscard]] int rank() const override { return group_.rank(); }
    [[nodiscard]] int size() const override { return group_.size(); }
    void mark() override { marks_.push_back(std::chrono::steady_clock::now()); }
    void reserve_marks(std::size_t) override { marks_.clear(); }
    [[nodiscard]] std::vector<double> intervals_us() override {
        std::vector<double> intervals;
        for (std::size_t i = 1; i < marks_.size(); ++i) {
            intervals.push_back(std::chrono::duration<double, std::micro>(marks_[i] - marks_[i - 1]).count());
        }
        return intervals;
    }
    void wait(std::chrono::milliseconds) override {}
    void abort() noexcept override {}

    void run(const CollectiveCall& call) override {
        if (!options_.instead || !options_.instead(call, rank())) {
            perform(call);
        }
        if (options_.after) {
            options_.after(call, rank(), size());
        }
        group_.barrier();
        if (options_.outcome) {
            options_.outcome(rank());
        }
    }

  private:
    /// All ranks show their send data, make what they receive aside, and write it once everybody has read.
    void perform(const CollectiveCall& call) {
        std::string address(sizeof call.send, '\0');
        std::memcpy(address.data(), &call.send, sizeof call.send);
        std::vector<const std::byte*> sent;
        for (const std::string& text : group_.all_gather(address)) {
            sent.push_back(get<const std::byte*>(reinterpret_cast<const std::byte*>(text.data())));
        }
        const std::vector<Write> writes = receive(call, sent);
        group_.barrier();
        for (const Write& write : writes) {
            std::memcpy(write.to, write.bytes.data(), write.bytes.size());
        }
    }

    struct Write {
        std::byte* to;
        std::vector<std::byte> bytes;
    };

    std::vector<Write> receive(const CollectiveCall& call, const std::vector<const std::byte*>& sent) const {
        const std::size_t bytes = static_cast<std::size_t>(call.count) * data_type_size(call.type);
        const auto me = static_cast<std::size_t>(rank());
        const auto root = static_cast<std::size_t>(call.root);
        const std::size_t ranks = sent.size();
        std::vector<Write> writes;
        const auto take = [&](std::size_t source, std::size_t from, std::size_t to) {
            if (options_.drop_rank != static_cast<int>(source)) {
                const std::byte* data = sent[source] + from;
                writes.push_back({call.recv + to, {data, data + bytes}});
            }
        };
        const auto reduced = [&](std::size_t from) {
            std::vector<const std::byte*> parts;
            for (std::size_t source = 0; source < ranks; ++source) {
                if (options_.drop_rank != static_cast<int>(source)) {
                    parts.push_back(sent[source] + from);
                }
            }
            Write write{call.recv, std::vector<std::byte>(bytes)};
            reduce(write.bytes.data(), parts, call.count, call.type, call.op);
            writes.push_back(std::move(write));
        };
        switch (call.kind) {
            case CollectiveKind::all_reduce:
                reduced(0);
                break;
            case CollectiveKind::reduce:
                if (me == root) {
                    reduced(0);
                }
                break;
            case CollectiveKind::reduce_scatter:
                reduced(me * bytes);
                break;
            case CollectiveKind::gather:
            case CollectiveKind::all_gather:
                for (std::size_t source = 0; source < ranks && (me == root || call.kind == CollectiveKind::all_gather);
                     ++source) {
                    take(source, 0, source * bytes);
                }
                break;
            case CollectiveKind::alltoall:
                for (std::size_t source = 0; source < ranks; ++source) {
                    take(source, me * bytes, source * bytes);
                }
                break;
            case CollectiveKind::broadcast:
                take(root, 0, 0);
                break;
            case CollectiveKind::scatter:
                take(root, me * bytes, 0);
                break;
            case CollectiveKind::sendrecv:
                take((me + ranks - 1) % ranks, 0, 0);
                break;
        }
        return writes;
    }

    Group& group_;
    const ReferenceOptions& options_;
    std::vector<std::chrono::steady_clock::time_point> marks_;
};

class ReferenceBackend final : public Backend {
  public:
    explicit ReferenceBackend(ReferenceOptions options) : options_(std::move(options)) {}

    [[nodiscard]] std::string name() const override { return "reference"; }
    [[nodiscard]] std::string library() const override { return "written out"; }
    [[nodiscard]] bool supports(DataType type, ReduceOp op) const override {
        return !options_.supports || options_.supports(type, op);
    }
    [[nodiscard]] BackendMemory memory() const override { return {options_.memory_bytes, true}; }
    [[nodiscard]] Buffer allocate(std::size_t bytes) override {
        return {*this, static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1))), bytes};
    }
    void write(std::byte* destination, std::span<const std::byte> source) override {
        std::copy(source.begin(), source.end(), destination);
    }
    void read(std::span<std::byte> destination, const std::byte* source) override {
        std::copy_n(source, destination.size(), destination.begin());
    }
    void copy(std::byte* destination, const std::byte* source, std::size_t bytes) override {
        std::copy_n(source, bytes, destination);
    }
    [[nodiscard]] const std::byte* host_view(const std::byte* address) const override {
        return options_.host_visible ? address : nullptr;
    }
    [[nodiscard]] std::unique_ptr<Communicator> communicator(Group& group) override {
        return std::make_unique<ReferenceCommunicator>(group, options_);
    }

  private:
    void release(std::byte* data, std::size_t) noexcept override { std::free(data); }

    ReferenceOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend(ReferenceOptions options) {
    return std::make_unique<ReferenceBackend>(std::move(options));
}

double load_element(const std::byte* from, DataType type) {
    switch (type) {
        case DataType::int8:
            return get<std::int8_t>(from);
        case DataType::uint8:
            return get<std::uint8_t>(from);
        case DataType::int32:
            return get<std::int32_t>(from);
        case DataType::uint32:
            return get<std::uint32_t>(from);
        case DataType::int64:
            return static_cast<double>(get<std::int64_t>(from));
        case DataType::uint64:
            return static_cast<double>(get<std::uint64_t>(from));
        case DataType::float16:
            return half_to_float(get<std::uint16_t>(from));
        case DataType::bfloat16:
            return bfloat16_to_float(get<std::uint16_t>(from));
        case DataType::float32:
            return get<float>(from);
        case DataType::float64:
            return get<double>(from);
    }
    return 0;
}

void store_element(std::byte* to, DataType type, double value) {
    const auto put = [to](auto element) { std::memcpy(to, &element, sizeof element); };
    switch (type) {
        case DataType::int8:
            return put(static_cast<std::int8_t>(value));
        case DataType::uint8:
            return put(static_cast<std::uint8_t>(value));
        case DataType::int32:
            return put(static_cast<std::int32_t>(value));
        case DataType::uint32:
            return put(static_cast<std::uint32_t>(value));
        case DataType::int64:
            return put(static_cast<std::int64_t>(value));
        case DataType::uint64:
            return put(static_cast<std::uint64_t>(value));
        case DataType::float16:
            return put(float_to_half(static_cast<float>(value)));
        case DataType::bfloat16:
            return put(float_to_bfloat16(static_cast<float>(value)));
        case DataType::float32:
            return put(static_cast<float>(value));
        case DataType::float64:
            return put(value);
    }
}

}  // namespace gpuadapt::test

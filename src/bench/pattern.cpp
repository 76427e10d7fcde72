// SPDX-License-Identifier: Apache-2.0
#include "bench/pattern.hpp"

#include <gpuadapt/driver/small_float.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace gpuadapt {

namespace {

/// No result of a reduction is above this times the factor of its index: int8 ends at 127.
constexpr std::uint64_t kTop = 120;
/// At most so many ranks give a sum something other than 0 at one index.
constexpr int kAddends = 32;
/// ... and a product something other than 1.
constexpr int kFactors = 3;

/// The output function of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

std::uint64_t mix(std::uint64_t salt, std::uint64_t index, std::uint64_t rank) {
    return mix(mix(mix(salt) + index) + rank);
}

/// Bits of the factor that a type can hold exactly beside kTop.
int factor_bits(DataType type) {
    switch (type) {
        case DataType::int8:
        case DataType::uint8:
            return 0;
        case DataType::bfloat16:
            return 1;  // 8 bits of significand
        case DataType::float16:
            return 4;  // 11
        case DataType::float32:
            return 17;  // 24
        case DataType::int32:
        case DataType::uint32:
            return 23;
        case DataType::float64:
            return 45;  // 53
        case DataType::int64:
        case DataType::uint64:
            return 55;
    }
    return 0;
}

/// The positive value `number` (and, for avg, its fraction `number / divisor`) as an element.
void store(std::byte* to, DataType type, std::uint64_t number, int divisor) {
    const auto put = [to](auto value) { std::memcpy(to, &value, sizeof value); };
    const double real = static_cast<double>(number) / divisor;
    const std::uint64_t whole = number / static_cast<std::uint64_t>(divisor);
    switch (type) {
        case DataType::int8:
        case DataType::uint8:
            return put(static_cast<std::uint8_t>(whole));
        case DataType::int32:
        case DataType::uint32:
            return put(static_cast<std::uint32_t>(whole));
        case DataType::int64:
        case DataType::uint64:
            return put(whole);
        case DataType::float16:
            return put(float_to_half(static_cast<float>(real)));
        case DataType::bfloat16:
            return put(float_to_bfloat16(static_cast<float>(real)));
        case DataType::float32:
            return put(static_cast<float>(real));
        case DataType::float64:
            return put(real);
    }
}

/// The numbers at one index of a reduction.
class Reduction {
  public:
    Reduction(const Pattern& pattern, std::int64_t index)
        : pattern_(pattern),
          index_(static_cast<std::uint64_t>(index)),
          ranks_(static_cast<std::uint64_t>(pattern.ranks)),
          bits_(mix(pattern.salt, index_, ranks_)),
          factor_(1 + (bits_ >> 8) % (std::uint64_t{1} << factor_bits(pattern.type))) {}

    /// What `rank` gives.
    [[nodiscard]] std::uint64_t of_rank(int rank) const {
        const std::uint64_t own = mix(pattern_.salt, index_, static_cast<std::uint64_t>(rank));
        switch (*pattern_.op) {
            case ReduceOp::sum:
            case ReduceOp::avg:
                return place(rank) < addends() ? factor_ * addend(own) : 0;
            case ReduceOp::prod:
                if (place(rank) >= kFactors) {
                    return 1;
                }
                return (place(rank) == 0 ? factor_ : 1) * (2 + own % 3);
            case ReduceOp::min:
                return factor_ * (place(rank) == 0 ? 1 + own % 40 : 41 + own % 80);
            case ReduceOp::max:
                return factor_ * (place(rank) == 0 ? 81 + own % 40 : 1 + own % 80);
        }
        return 0;
    }

    /// The result of the reduction (avg: before the division).
    [[nodiscard]] std::uint64_t result() const {
        std::uint64_t value = *pattern_.op == ReduceOp::prod ? 1 : 0;
        for (std::uint64_t i = 0; i < active(); ++i) {
            const std::uint64_t given = of_rank(static_cast<int>((first() + i) % ranks_));
            value = *pattern_.op == ReduceOp::prod ? value * given : value + given;
        }
        return value;
    }

  private:
    /// How many ranks decide the result; they follow one another from first() on.
    [[nodiscard]] std::uint64_t active() const {
        switch (*pattern_.op) {
            case ReduceOp::sum:
            case ReduceOp::avg:
                return addends();
            case ReduceOp::prod:
                return std::min<std::uint64_t>(kFactors, ranks_);
            case ReduceOp::min:
            case ReduceOp::max:
                return 1;
        }
        return 1;
    }
    /// An average by multiplication with 1/n (as NCCL does it for floating types) rounds at each rank: one rank only,
    /// unless 1/n is exact.
    [[nodiscard]] std::uint64_t addends() const {
        return tolerance_ulp(pattern_) > 0 ? 1 : std::min<std::uint64_t>(kAddends, ranks_);
    }
    [[nodiscard]] std::uint64_t addend(std::uint64_t random) const { return 1 + random % (kTop / addends()); }
    /// Moves by active() from index to index, so that each rank decides somewhere, soon.
    [[nodiscard]] std::uint64_t first() const { return (index_ * active() + pattern_.salt) % ranks_; }
    [[nodiscard]] std::uint64_t place(int rank) const {
        return (static_cast<std::uint64_t>(rank) + ranks_ - first()) % ranks_;
    }

    const Pattern& pattern_;
    std::uint64_t index_;
    std::uint64_t ranks_;
    std::uint64_t bits_;
    std::uint64_t factor_;
};

/// Random bits. The lowest byte differs between the ranks of one index (up to 255) and is never the poison.
void store_random(std::byte* to, std::size_t size, const Pattern& pattern, std::uint64_t index, int rank) {
    const std::uint64_t shared = mix(pattern.salt, index, ~std::uint64_t{0});
    const std::uint64_t low = (shared % 255 + static_cast<std::uint64_t>(rank)) % 255;
    const std::uint64_t own = mix(pattern.salt, index, static_cast<std::uint64_t>(rank));
    const std::uint64_t bits = (own & ~std::uint64_t{0xff}) | low;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(to, &bits, size);
}

std::int64_t ordered_bits(const std::byte* element, DataType type) {
    const auto get = [element](auto value) {
        std::memcpy(&value, element, sizeof value);
        return static_cast<std::int64_t>(value);
    };
    switch (type) {
        case DataType::float16:
        case DataType::bfloat16:
            return get(std::int16_t{});
        case DataType::float32:
            return get(std::int32_t{});
        default:
            return get(std::int64_t{});
    }
}

/// Expected values are positive; so the bits of floating numbers near them are in the order of their values.
bool near(const std::byte* a, const std::byte* b, DataType type, int tolerance) {
    const std::int64_t x = ordered_bits(a, type);
    const std::int64_t y = ordered_bits(b, type);
    return x >= 0 && y >= 0 && std::max(x, y) - std::min(x, y) <= tolerance;
}

}  // namespace

int tolerance_ulp(const Pattern& pattern) {
    const bool exact = std::has_single_bit(static_cast<unsigned>(pattern.ranks));
    return pattern.op == ReduceOp::avg && is_floating(pattern.type) && !exact ? 2 : 0;
}

std::vector<std::byte> source_tile(const Pattern& pattern, int rank, std::int64_t length) {
    assert(length >= 0 && length <= kTileLength);
    const std::size_t size = data_type_size(pattern.type);
    std::vector<std::byte> tile(static_cast<std::size_t>(length) * size);
    for (std::int64_t i = 0; i < length; ++i) {
        std::byte* to = tile.data() + static_cast<std::size_t>(i) * size;
        if (pattern.op) {
            store(to, pattern.type, Reduction(pattern, i).of_rank(rank), 1);
        } else {
            store_random(to, size, pattern, static_cast<std::uint64_t>(i), rank);
        }
    }
    return tile;
}

std::vector<std::byte> reduced_tile(const Pattern& pattern, std::int64_t length) {
    assert(length >= 0 && length <= kTileLength && pattern.op);
    const std::size_t size = data_type_size(pattern.type);
    const int divisor = pattern.op == ReduceOp::avg ? pattern.ranks : 1;
    std::vector<std::byte> tile(static_cast<std::size_t>(length) * size);
    for (std::int64_t i = 0; i < length; ++i) {
        store(tile.data() + static_cast<std::size_t>(i) * size, pattern.type, Reduction(pattern, i).result(), divisor);
    }
    return tile;
}

std::int64_t count_wrong(std::span<const std::byte> data, std::span<const std::byte> tile, std::int64_t first,
                         DataType type, int tolerance) {
    const std::size_t size = data_type_size(type);
    assert(data.size() % size == 0 && tile.size() % size == 0);
    std::int64_t wrong = 0;
    std::size_t at = data.empty() ? 0 : static_cast<std::size_t>(first) * size % tile.size();
    for (std::size_t done = 0; done < data.size();) {
        const std::size_t now = std::min(data.size() - done, tile.size() - at);
        if (std::memcmp(data.data() + done, tile.data() + at, now) != 0) {
            for (std::size_t i = 0; i < now; i += size) {
                const std::byte* have = data.data() + done + i;
                const std::byte* want = tile.data() + at + i;
                const bool same =
                    std::memcmp(have, want, size) == 0 || (tolerance > 0 && near(have, want, type, tolerance));
                wrong += same ? 0 : 1;
            }
        }
        done += now;
        at = 0;
    }
    return wrong;
}

}  // namespace gpuadapt

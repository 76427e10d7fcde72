// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

/// half (IEEE 754-2008 binary16) and bfloat16 (the upper 16 bits of binary32) as bit patterns. No branches: loops over
/// these become vector code.
namespace gpuadapt {

/// `condition ? yes : no` as arithmetic: a compiler that sees a choice between results of float operations keeps a
/// branch, and with it no vector code.
[[nodiscard]] constexpr std::uint32_t choose_bits(bool condition, std::uint32_t yes, std::uint32_t no) {
    return no ^ ((yes ^ no) & (0U - static_cast<std::uint32_t>(condition)));
}

[[nodiscard]] constexpr float bfloat16_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Rounds to nearest even; a NaN stays a (quiet) NaN.
[[nodiscard]] constexpr std::uint16_t float_to_bfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    const std::uint32_t quiet = (bits >> 16) | 0x40U;
    return static_cast<std::uint16_t>(choose_bits((bits & 0x7fffffffU) > 0x7f800000U, quiet, rounded));
}

[[nodiscard]] constexpr float half_to_float(std::uint16_t bits) {
    const std::uint32_t magnitude = bits & 0x7fffU;
    // Moved to where binary32 has exponent and fraction, the exponent is too small by 127 - 15 = 112; the product also
    // makes a subnormal normal.
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
    const std::uint32_t special = choose_bits(magnitude >= 0x7c00U, 0x7f800000U, 0U);  // infinity and NaN
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

/// Rounds to nearest even; overflow gives infinity, a NaN stays a (quiet) NaN.
[[nodiscard]] constexpr std::uint16_t float_to_half(float value) {
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = all & 0x7fffffffU;
    // Normal result: rebias the exponent by 15 - 127 and round at bit 13.
    const std::uint32_t normal = (magnitude - (112U << 23) + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
    // Subnormal result: adding 0.5 lets the adder shift and round; its bits are then taken off again.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U;
    const std::uint32_t finite = choose_bits(magnitude < 0x38800000U, subnormal, normal);  // below 2^-14
    const std::uint32_t limited = choose_bits(magnitude >= 0x477ff000U, 0x7c00U, finite);  // 65520 and above
    const std::uint32_t result = choose_bits(magnitude > 0x7f800000U, 0x7e00U, limited);
    return static_cast<std::uint16_t>(result | ((all >> 16) & 0x8000U));
}

}  // namespace gpuadapt

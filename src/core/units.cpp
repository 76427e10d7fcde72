// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/units.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace gpuadapt {
namespace {

constexpr std::string_view kUnits = "KMGT";

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<double> parse_real(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
        ++digits;
    const auto number = parse_integer(text.substr(0, digits));
    if (!number)
        return std::nullopt;
    std::string_view unit = text.substr(digits);
    int shift = 0;
    if (!unit.empty()) {
        const char letter = unit[0] >= 'a' && unit[0] <= 'z' ? static_cast<char>(unit[0] - 'a' + 'A') : unit[0];
        const std::size_t position = kUnits.find(letter);
        if (position != std::string_view::npos) {
            shift = 10 * (static_cast<int>(position) + 1);
            unit.remove_prefix(1);
            if (unit.size() == 2 && unit[0] == 'i')
                unit.remove_prefix(1);
        }
        if (!unit.empty() && unit != "B" && unit != "b")
            return std::nullopt;
    }
    if (*number > (std::numeric_limits<std::int64_t>::max() >> shift))
        return std::nullopt;
    return *number << shift;
}

std::string format_size(std::int64_t bytes) {
    int step = 0;
    while (step < static_cast<int>(kUnits.size()) && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++step;
    }
    return step == 0 ? fmt::format("{}", bytes)
                     : fmt::format("{}{}", bytes, kUnits[static_cast<std::size_t>(step - 1)]);
}

std::string format_size_rounded(std::int64_t bytes) {
    auto value = static_cast<double>(bytes);
    int step = 0;
    while (value >= 1024 && step < static_cast<int>(kUnits.size())) {
        value /= 1024;
        ++step;
    }
    return step == 0 ? fmt::format("{:.0f}", value)
                     : fmt::format("{:.0f}{}", value, kUnits[static_cast<std::size_t>(step - 1)]);
}

std::string format_bytes(std::int64_t bytes) {
    auto value = static_cast<double>(bytes);
    int step = 0;
    while (value >= 1024 && step < static_cast<int>(kUnits.size())) {
        value /= 1024;
        ++step;
    }
    if (step == 0)
        return fmt::format("{} B", bytes);
    const char unit = kUnits[static_cast<std::size_t>(step - 1)];
    return value == std::floor(value) ? fmt::format("{:.0f} {}iB", value, unit)
                                      : fmt::format("{:.1f} {}iB", value, unit);
}

std::optional<double> pcie_gbyte_s(double gt_s, int width) {
    struct Rate {
        double gt_s, encoding;
    };
    constexpr std::array<Rate, 6> kRates = {
        {{2.5, 0.8}, {5, 0.8}, {8, 128.0 / 130}, {16, 128.0 / 130}, {32, 128.0 / 130}, {64, 242.0 / 256}}};
    for (const Rate& rate : kRates)
        if (std::abs(rate.gt_s - gt_s) < 0.1)
            return gt_s * width * rate.encoding / 8;
    return std::nullopt;
}

std::string format_duration(double seconds) {
    if (seconds < 60)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 3600)
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace gpuadapt

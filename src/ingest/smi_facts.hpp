// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ingest/smi_tree.hpp"

#include <gpuadapt/core/machine.hpp>

#include <span>

/// From values of a tool to facts.
namespace gpuadapt::ingest {

/// Where a fact stands, and how it is taken. Of several rows for one fact the first with a value counts, so the
/// functions write only what is not there yet.
struct SmiFact {
    std::string_view path;
    void (*take)(Gpu& gpu, std::string_view value);
};

void take_facts(const std::vector<SmiValue>& values, std::span<const SmiFact> facts, Gpu& gpu);

/// Functions for the table.
template <std::optional<std::string> Gpu::*member>
void take_text(Gpu& gpu, std::string_view value) {
    if (!(gpu.*member))
        gpu.*member = std::string(value);
}
template <std::optional<std::int64_t> Gpu::*member>
void take_bytes(Gpu& gpu, std::string_view value) {
    if (!(gpu.*member))
        gpu.*member = bytes_in(value);
}
template <std::optional<double> Gpu::*member>
void take_number(Gpu& gpu, std::string_view value) {
    if (!(gpu.*member))
        gpu.*member = number_in(value);
}
template <std::optional<bool> Gpu::*member>
void take_switch(Gpu& gpu, std::string_view value) {
    if (!(gpu.*member))
        gpu.*member = switch_in(value);
}
/// "1125 MHz", "3"
template <std::optional<int> Gpu::*member>
void take_count(Gpu& gpu, std::string_view value) {
    if (const auto number = number_in(value); number && !(gpu.*member) && *number >= 0 && *number < 1e9)
        gpu.*member = static_cast<int>(*number);
}

/// Sum of the whole numbers below `title` whose last word begins so; nullopt when there is none.
[[nodiscard]] std::optional<std::int64_t> sum_below(const std::vector<SmiValue>& values, std::string_view title,
                                                    std::string_view part);

/// The "Active" ones below a title, by their own words.
[[nodiscard]] std::vector<std::string> active_below(const std::vector<SmiValue>& values, std::string_view title);

}  // namespace gpuadapt::ingest

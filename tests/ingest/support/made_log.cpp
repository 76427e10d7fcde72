// SPDX-License-Identifier: Apache-2.0
#include "ingest/support/made_log.hpp"

#include <gpuadapt/core/perf_table.hpp>

#include <cmath>
#include <sstream>

#include <fmt/format.h>

namespace gpuadapt::test {
namespace {

bool per_rank(const std::string& collective) {
    return collective != "all_reduce" && collective != "broadcast" && collective != "reduce" &&
           collective != "sendrecv";
}

struct Sums {
    double busbw = 0;
    int cells = 0;
};

std::string half(const MadeLog& made, std::int64_t size, bool in_place, Sums& sums) {
    const double time = made_time_us(size, in_place);
    const double algbw = static_cast<double>(size) / time / 1e3;
    const double busbw = algbw * bus_factor(made.collective, made.ranks);
    sums.busbw += busbw;
    ++sums.cells;
    std::string text =
        fmt::format("  {:>9.2f}  {:>7.2f}  {:>7.2f}", time, algbw * made.unit_per_gb, busbw * made.unit_per_gb);
    if (made.error_column)
        text += fmt::format("  {:>5.0e}", 5e-7);
    else if (made.wrong_column)
        text += fmt::format("  {:>5}", in_place && !in_place_defined(made.collective) ? "N/A" : "0");
    return text;
}

std::string header_line(const MadeLog& made) {
    std::string text = fmt::format("# {:>12}  {:>12}  {:>8}", "size", "count", "type");
    if (made.redop_column)
        text += "   redop";
    if (made.root_column)
        text += "    root";
    if (made.kernel_column)
        text += "   avgtime";
    const std::string wrong = made.error_column ? "  error" : made.wrong_column ? " #wrong" : "";
    for (int i = 0; i < (made.in_place ? 2 : 1); ++i)
        text += fmt::format("  {:>9}  {:>7}  {:>7}{}", made.time_head, "algbw", "busbw", wrong);
    return text + made.head_tail;
}

std::string unit_line(const MadeLog& made) {
    std::string text = "#          (B)    (elements)";
    if (made.kernel_column)
        text += "  (us)";
    for (int i = 0; i < (made.in_place ? 2 : 1); ++i)
        text += fmt::format("  {:>9}  {:>7}  {:>7}", "(us)", "(" + made.unit + ")", "(" + made.unit + ")");
    return text;
}

std::string row_line(const MadeLog& made, std::int64_t size, Sums& sums) {
    const std::int64_t count = size / made.type_bytes / (per_rank(made.collective) ? made.ranks : 1);
    std::string text = fmt::format("{}{:>12}  {:>12}  {:>8}", made.kernel_column ? "#" : " ", size, count, made.type);
    if (made.redop_column)
        text += fmt::format("  {:>6}", made.redop);
    if (made.root_column)
        text += fmt::format("  {:>6}", made.root);
    if (made.kernel_column)
        text += fmt::format("  {:>8.2f}", made_time_us(size, false) * 0.9);
    text += half(made, size, false, sums);
    if (made.in_place)
        text += half(made, size, true, sums);
    return text + made.row_tail;
}

}  // namespace

double made_time_us(std::int64_t bytes, bool in_place) {
    const auto size = static_cast<double>(bytes);
    return (in_place ? 16.0 : 17.0) + size / 41.5e3 + std::fmod(size / 1024, 7) * 0.13;
}

std::string make_log(const MadeLog& made) {
    std::vector<std::string> lines;
    const std::string program = made.collective + "_perf";
    if (made.banner)
        lines.push_back(fmt::format("---- mccl_test {} {} ----", program, made.ranks));
    if (made.named) {
        lines.emplace_back("# nccl-tests version 2.17.9 nccl-headers=22803 nccl-library=22803");
        lines.push_back("# Collective test starting: " + program);
    }
    lines.push_back(
        fmt::format("# nThread 1 nGpus 1 minBytes {} maxBytes {} step: 2(factor) warmup iters: 5 iters: 20 "
                    "agg iters: 1 validation: 1 graph: 0",
                    made.min_bytes, made.max_bytes));
    lines.emplace_back("#");
    if (made.devices) {
        lines.emplace_back("# Using devices");
        for (int rank = 0; rank < made.ranks; ++rank)
            lines.push_back(
                fmt::format("#  Rank {:>2} Group  0 Pid {} on      node1 device {:>2} [0000:{:02x}:00] Made GPU", rank,
                            4000 + rank, rank, rank + 16));
    }
    lines.emplace_back("#");
    lines.emplace_back("#                                        out-of-place                       in-place");
    lines.push_back(header_line(made));
    lines.push_back(unit_line(made));
    Sums sums;
    for (int cycle = 0; cycle < made.cycles; ++cycle)
        for (std::int64_t size = made.min_bytes; size <= made.max_bytes; size *= 2)
            lines.push_back(row_line(made, size, sums));
    if (made.footer) {
        lines.emplace_back("# Out of bounds values : 0 OK");
        lines.push_back(fmt::format("# Avg bus bandwidth    : {:g} ", sums.busbw / sums.cells * made.unit_per_gb));
        lines.emplace_back("#");
        if (made.named)
            lines.push_back("# Collective test concluded: " + program);
    }
    std::string text;
    for (const std::string& line : lines)
        text += made.prefix + line + made.line_end;
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

}  // namespace gpuadapt::test

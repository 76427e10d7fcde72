// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Logs of our own making, in the shapes that nccl-tests, rccl-tests and mccl_tests print, with numbers that agree.
namespace gpuadapt::test {

struct MadeLog {
    std::string collective = "all_reduce";
    int ranks = 8;
    std::int64_t min_bytes = 1024, max_bytes = 1 << 26;
    std::string type = "bfloat16";
    int type_bytes = 2;
    std::string redop = "sum";
    std::string root = "-1";
    bool named = true;           ///< "# Collective test starting: ..."
    bool banner = false;         ///< "---- mccl_test NAME N ----"
    bool devices = true;         ///< "# Rank ..."
    bool kernel_column = false;  ///< the guide's form
    bool redop_column = true, root_column = true, wrong_column = true;
    bool error_column = false;  ///< instead of #wrong
    bool in_place = true;
    bool footer = true;
    std::string unit = "GB/s";
    double unit_per_gb = 1;
    std::string time_head = "time";
    std::string prefix;     ///< before each line
    std::string row_tail;   ///< behind each row
    std::string head_tail;  ///< behind the header
    std::string line_end = "\n";
    int cycles = 1;
};

/// The time in us that the made machine needs; smooth, and different for each size.
[[nodiscard]] double made_time_us(std::int64_t bytes, bool in_place);

[[nodiscard]] std::string make_log(const MadeLog& made);

/// Lines of `text` without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);
[[nodiscard]] std::string text_of(const std::vector<std::string>& lines);

}  // namespace gpuadapt::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/management.hpp>

#include <cstdio>
#include <string_view>

#include <gtest/gtest.h>

namespace gpuadapt::test {

/// main() of a test program in which management libraries are asked: it is started once more as the child that loads
/// them.
inline int main_with_management_child(int argc, char** argv) {
    if (argc > 1 && argv[1] == kManagementFlag)
        return run_management_child(
            {argv + 2, argv + argc},
            [](std::string_view text) {
                std::fwrite(text.data(), 1, text.size(), stdout);
                std::fflush(stdout);
            },
            [](std::string_view line) {
                std::fwrite(line.data(), 1, line.size(), stderr);
                std::fputc('\n', stderr);
            });
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}

}  // namespace gpuadapt::test

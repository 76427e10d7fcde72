// SPDX-License-Identifier: Apache-2.0
#include "machines/cases/case.hpp"

namespace gpuadapt::test {

std::vector<CheckCase> acs_cases() {
    constexpr int kAcs = 0x0d, kAts = 0x0f;
    return {
        {"ACS1", "c500x8", extended_word("0000:21:01.0", kAcs, 6, 0x1d), "0000:21:01.0", "ACSCtl=0x001d"},
        {"ACS2", "c500x8", extended_word("0000:81:04.0", kAcs, 6, 0x04), "0000:81:04.0", "ACSCtl=0x0004"},
        {"ACS3", "c500x8",
         both(extended_word("0000:23:00.0", kAts, 6, 0x8000), extended_word("0000:21:01.0", kAcs, 6, 0x1d)),
         "0000:21:01.0", "above 0000:23:00.0"},
        {"ACS4", "c500x8", file("/proc/cmdline", "root=/dev/sda2 pci=disable_acs_redir=0000:21:00.0,0000:21:01.0"), "",
         "disable_acs_redir=0000:21:00.0,0000:21:01.0"},
    };
}

}  // namespace gpuadapt::test

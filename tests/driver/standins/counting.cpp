// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

/// A library that counts in GPUADAPT_FAKE_LOADS how often it was loaded.
namespace {

__attribute__((constructor)) void count_load() {
    const char* before = std::getenv("GPUADAPT_FAKE_LOADS");
    setenv("GPUADAPT_FAKE_LOADS", std::to_string(before != nullptr ? std::atoi(before) + 1 : 1).c_str(), 1);
}

}  // namespace

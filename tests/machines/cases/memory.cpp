// SPDX-License-Identifier: Apache-2.0
#include "machines/cases/case.hpp"

namespace gpuadapt::test {

std::vector<CheckCase> memory_cases() {
    return {};
}

}  // namespace gpuadapt::test

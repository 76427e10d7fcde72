// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace gpuadapt::test {

/// Throws when `truth` is false; the rank's phase then ends in an agreed error.
inline void expect(bool truth, const std::string& what) {
    if (!truth) {
        throw std::runtime_error("expected: " + what);
    }
}

}  // namespace gpuadapt::test

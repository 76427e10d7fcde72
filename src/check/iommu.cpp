// SPDX-License-Identifier: Apache-2.0
#include "check/judgement.hpp"
#include "check/remedy.hpp"
#include "check/rules.hpp"

namespace gpuadapt::check {

std::span<const Check> iommu_checks() {
    return {};
}

}  // namespace gpuadapt::check

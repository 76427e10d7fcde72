// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/check/checks.hpp>

namespace gpuadapt::check {

/// A finding in the name of `self`: titled by its problem, or by the rule where that is unknown.
[[nodiscard]] Finding finding_of(const Check& self, Severity severity, std::string subject, Message evidence,
                                 Message advice);

[[nodiscard]] Outcome not_applicable();
[[nodiscard]] Outcome unknown(const Check& self, std::string subject, Message evidence, Message advice);

// The rows of each file.
[[nodiscard]] std::span<const Check> acs_checks();
[[nodiscard]] std::span<const Check> iommu_checks();
[[nodiscard]] std::span<const Check> pcie_checks();
[[nodiscard]] std::span<const Check> gpu_checks();
[[nodiscard]] std::span<const Check> metax_checks();
[[nodiscard]] std::span<const Check> gdr_checks();
[[nodiscard]] std::span<const Check> rdma_checks();
[[nodiscard]] std::span<const Check> cpu_checks();
[[nodiscard]] std::span<const Check> memory_checks();
[[nodiscard]] std::span<const Check> platform_checks();
[[nodiscard]] std::span<const Check> os_checks();
[[nodiscard]] std::span<const Check> topology_checks();
[[nodiscard]] std::span<const Check> measurement_checks();

}  // namespace gpuadapt::check

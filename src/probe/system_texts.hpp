// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// os-release(5): KEY=VALUE, values with or without quotes.
[[nodiscard]] std::map<std::string, std::string> parse_os_release(std::string_view text);

/// The kind of container that a path of /proc/1/cgroup or /proc/self/cgroup tells of; nullopt when it tells of none.
[[nodiscard]] std::optional<std::string> container_of_cgroup(std::string_view text);

/// The hypervisor that DMI strings tell of: kvm, qemu, vmware, ...
[[nodiscard]] std::optional<std::string> hypervisor_of_dmi(const Dmi& dmi);

/// The hypervisor whose clock the kernel offers (available_clocksource).
[[nodiscard]] std::optional<std::string> hypervisor_of_clocks(std::string_view text);

/// This host's addresses in /proc/net/fib_trie: leaves marked "/32 host LOCAL", without 127.0.0.0/8; each once.
[[nodiscard]] std::vector<std::string> parse_local_addresses(std::string_view fib_trie);

/// "cuda" -> "version" of CUDA's version.json.
[[nodiscard]] std::optional<std::string> parse_cuda_version(std::string_view json);

/// What stands behind "Version:" or "CUDA Version"; else the first line itself when it begins with a digit.
[[nodiscard]] std::optional<std::string> parse_version_line(std::string_view text);

}  // namespace gpuadapt

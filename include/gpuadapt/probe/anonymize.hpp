// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/memory_root.hpp>

#include <string>

namespace gpuadapt {

/// The same recording with other names for what identifies the machine or its owner (host/pseudonyms.hpp): serial
/// numbers, asset tags and UUIDs of the firmware tables, device serial numbers, MAC addresses, GUIDs and GIDs, GPU
/// UUIDs, IPv4 addresses of this host, host names, and the names of home directories. What the machine *is* stays:
/// probing it gives the same Machine but for these.
///
/// `key` is a secret; the same key gives the same names. Without it they cannot be led back.
[[nodiscard]] Answers anonymize(const Answers& answers, const std::string& key);

}  // namespace gpuadapt

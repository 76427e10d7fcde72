// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// Serial numbers, asset tags and vendors' own strings (types 11 and 12) of an SMBIOS structure table (DSP0134), of
/// every structure that has such fields: strings that tell one machine from another. Any bytes are taken.
[[nodiscard]] std::vector<std::string> smbios_identities(std::string_view table);

}  // namespace gpuadapt

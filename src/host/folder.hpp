// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/fd.hpp"

#include <string>
#include <vector>

namespace gpuadapt {

/// Names in a folder that was opened for reading, in no order, without "." and "..". 0 or an errno, also that of the
/// call that should have opened it: then `names` may be a part only.
[[nodiscard]] int read_names(Fd folder, std::vector<std::string>& names);

}  // namespace gpuadapt

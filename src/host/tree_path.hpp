// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/fd.hpp"

#include <string>

namespace gpuadapt {

/// Where a path ends up inside a tree: `name` (no link unless it was not to be followed) in the folder `folder`.
struct TreePlace {
    Fd folder;
    std::string name;
    int error = 0;  ///< errno; `folder` is not valid then
};

/// Walks `path` from the folder `base` one component at a time. Links are read and followed as if `base` were the root
/// of the file system, so that no link leads out of the tree, also while somebody changes it. (openat2() can do this,
/// but only from Linux 5.6 on, and servers with 4.19 are common.)
[[nodiscard]] TreePlace find_in_tree(int base, const std::string& path, bool follow_last);

}  // namespace gpuadapt

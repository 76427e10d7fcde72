// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/fd.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// Where a path ends up inside a tree: `name` (no link unless it was not to be followed) in the folder `folder`.
struct TreePlace {
    Fd folder;
    std::string name;
    int error = 0;  ///< errno; `folder` is not valid then
};

/// More links than that on one way are taken for a circle, as Linux does.
inline constexpr int kMostLinks = 40;

/// Puts the components of `path` on the stack, the first one on top; without empty ones and ".".
void push_components(std::vector<std::string>& stack, std::string_view path);

/// Walks `path` from the folder `base` one component at a time. Links are read and followed as if `base` were the root
/// of the file system, so that no link leads out of the tree, also while somebody changes it. (openat2() can do this,
/// but only from Linux 5.6 on, and servers with 4.19 are common.)
[[nodiscard]] TreePlace find_in_tree(int base, const std::string& path, bool follow_last);

}  // namespace gpuadapt

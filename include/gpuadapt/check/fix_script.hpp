// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/text.hpp>

#include <string>
#include <vector>

namespace gpuadapt::check {

/// The `now` lines of all findings with what takes them back, as a POSIX shell script with the arguments `apply` and
/// `undo`. Each step is told by the finding that it is for; waived findings have none. `host` is where they are for.
/// Nothing in it is ever run by us.
[[nodiscard]] std::string fix_script(const std::vector<Finding>& findings, const std::string& host, Lang lang);

}  // namespace gpuadapt::check

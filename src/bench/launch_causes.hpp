// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <array>
#include <span>
#include <string_view>

namespace gpuadapt {

/// One way in which a launch fails, by what mpirun, ssh or a library prints then. Open MPI 4.1 and 5.0 word many of
/// them differently.
struct LaunchCause {
    std::string_view id;  ///< "launch.slots"
    /// Any of these in the output, with all white space taken as one blank. An empty one ends the list.
    std::array<std::string_view, 4> texts;
    /// What stands before the culprit in the output ("Executable:"); empty: nobody is named.
    std::string_view subject_key;
    Text title;
    Text advice;
};

/// The most telling first: what comes later is often only the consequence of what comes earlier.
[[nodiscard]] std::span<const LaunchCause> launch_causes();

}  // namespace gpuadapt

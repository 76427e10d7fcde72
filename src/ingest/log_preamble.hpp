// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ingest/log_run.hpp"

#include <string_view>
#include <vector>

namespace gpuadapt::ingest {

enum class LineKind {
    other,       ///< not understood
    begin,       ///< only a new run begins so: banner, nThread line, "Collective test starting"
    preamble,    ///< belongs to what stands before a header, but may also come elsewhere
    decoration,  ///< '#', rulers, the line of out-of-place and in-place
    ending,      ///< "Collective test concluded"
    fault,       ///< the test reports an error
};

/// Takes what a line outside a table says. `text` is without prefix, `words` are its words.
LineKind read_preamble_line(std::string_view text, const std::vector<std::string_view>& words, LogPreamble& preamble);

}  // namespace gpuadapt::ingest

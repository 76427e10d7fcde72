// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::ingest {

/// The lines in which a tool of those that we read says that it failed, or a shell that there is no such tool: each
/// once, in the order of the text, at most 8, and none longer than 200 bytes. `text` should come from plain_text().
/// Takes any bytes.
///
/// That dmidecode was denied the firmware's table is not among them: read_dmidecode() tells it.
[[nodiscard]] std::vector<std::string> read_tool_errors(std::string_view text);

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gpuadapt::cli {

/// What an output option writes.
enum class OutputKind { workbook, recording, machine_record, expectations, svg, nccl_topology };

/// An output may be written again, but must replace nothing else: a slip in an option must not cost a measurement.
/// Throws Error(input) that names the option when `path` is a plain file that holds something of another kind (for
/// `machine_record`, also a record with measurements), and the Error of check_output_file().
void check_replaceable(std::string_view option, const std::string& path, OutputKind kind);

}  // namespace gpuadapt::cli

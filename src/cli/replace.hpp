// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/session.hpp"

#include <string>
#include <string_view>

namespace gpuadapt::cli {

/// What an output option writes.
enum class OutputKind { workbook, recording, machine_record, expectations, svg, nccl_topology };

/// An output may be written again, but must replace nothing else: a slip in an option must not cost a measurement.
/// Throws Error(input) that names the option when `path` is a plain file that holds something of another kind (for
/// `machine_record`, also a record with measurements), and the Error of check_output_file().
void check_replaceable(std::string_view option, const std::string& path, OutputKind kind);

/// write_output_file(), keeping an EarlierFile.
void write_keeping(const Session& session, const std::string& path, std::string_view bytes);

/// PATH.1, PATH.2, ...: the first of which neither it nor its .part exists.
[[nodiscard]] std::string free_name(const std::string& path);

/// The file that an output replaces, under a free_name() too: what a person has written into it must not be lost. The
/// new name goes away again where the output did not come about. Nothing for an empty file and for what is no file.
class EarlierFile {
  public:
    /// Throws Error naming the new name when the file cannot be kept.
    explicit EarlierFile(const std::string& path);
    EarlierFile(const EarlierFile&) = delete;
    EarlierFile& operator=(const EarlierFile&) = delete;
    ~EarlierFile();
    /// The output is written: says where the earlier one is.
    void keep(const Session& session);

  private:
    std::string name_;  ///< empty: nothing to keep
};

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/table.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// Version of the file format (docs/record-format.md). A reader refuses a newer one and ignores keys it does not know.
inline constexpr int kRecordSchema = 1;

struct HostMachine {
    std::string host;
    Machine machine;
    bool operator==(const HostMachine&) const = default;
};

/// Where a rank of the measurement ran.
struct RankPlace {
    int rank = 0;
    std::string host;
    std::int64_t pid = 0;
    std::optional<int> device;  ///< index on its host; nullopt on host memory
    std::optional<std::string> device_name;
    std::optional<std::string> pci_address;
    bool operator==(const RankPlace&) const = default;
};

/// How the measuring processes were started: what a later reader needs to do the same again.
struct Launch {
    std::vector<std::string> command;                ///< our own command line
    std::vector<std::string> launcher;               ///< the mpirun command we ran; empty when somebody else started us
    std::string backend;                             ///< "host" or a vendor id
    std::optional<std::string> mpi_version;          ///< MPI_Get_library_version, first line
    std::map<std::string, std::string> parameters;   ///< "-b" -> "1024": the effective values
    std::map<std::string, std::string> environment;  ///< effective NCCL_*, MCCL_*, OMPI_MCA_* and the like
    std::vector<RankPlace> ranks;
    bool operator==(const Launch&) const = default;
};

/// Machine, measurements and judgements in one value; one file. `probe` and `bench` produce it, `check` and `report`
/// read it.
struct Record {
    int schema = kRecordSchema;
    std::string tool_version;
    std::string run_id;             ///< random; ties run.json and run.json.part together
    std::string started, finished;  ///< UTC, "2026-11-30T12:00:00Z"; `finished` is empty while it is being measured
    std::vector<HostMachine> machines;
    std::optional<Launch> launch;
    std::vector<Table> tables;
    std::vector<Finding> findings;
    Coverage coverage;

    [[nodiscard]] const Table* table(std::string_view id) const;
    bool operator==(const Record&) const = default;
};

/// The whole Record as JSON text, keys in a fixed order, ending in a line end.
[[nodiscard]] std::string to_json(const Record& record);
[[nodiscard]] std::string to_json(const Machine& machine);
[[nodiscard]] std::string to_json(const std::vector<Finding>& findings, const Coverage& coverage);

/// Reads a Record, or the lines of a `.part` file (below). `name` is the file's name, for errors.
/// Throws Error(input) that names the file and the line and column, or the JSON path, when the text is damaged, is no
/// Record or is of a newer schema. A `.part` text whose last line is cut off is read up to there.
[[nodiscard]] Record read_record(std::string_view text, const std::string& name);
[[nodiscard]] Machine read_machine(std::string_view text, const std::string& name);

/// A Record while it grows: one JSON object a line. The first is a header (a Record without tables and findings), then
/// come tables without rows, rows, findings and a last line with the end time. The same lines are the protocol from
/// the measuring rank to the process that writes the file, so that a line is kept as it came.
namespace part {
[[nodiscard]] std::string header(const Record& record);
[[nodiscard]] std::string table(const Table& table);
[[nodiscard]] std::string row(std::string_view table_id, const Row& row);
[[nodiscard]] std::string finding(const Finding& finding);
[[nodiscard]] std::string launch(const Launch& launch);
[[nodiscard]] std::string machine(const HostMachine& machine);
[[nodiscard]] std::string finished(std::string_view time);

/// What a line changed.
struct Applied {
    enum class Kind { header, table, row, finding, launch, machine, finished, other } kind = Kind::other;
    std::size_t table = 0;  ///< index into Record::tables for `table` and `row`
};
/// Adds what a line says to `record`; the machine of a host that it already holds stays. Throws Error(input) naming
/// `where` when the line is damaged; unknown kinds of lines are `other` and change nothing.
Applied apply(Record& record, std::string_view line, const std::string& where);
}  // namespace part

}  // namespace gpuadapt

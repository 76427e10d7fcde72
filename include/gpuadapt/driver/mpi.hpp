// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/group.hpp>
#include <gpuadapt/host/root.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Open MPI 4.1 and 5.0, opened at run time. Their ABI is declared here and in src/driver/mpi_api.hpp (source: mpi.h
/// of both, which share libmpi.so.40): handles are addresses of objects that the library exports.
namespace gpuadapt {

/// Value of an environment variable of this process, nullopt when unset. The launcher's variables are not the
/// machine's, so they do not come through Root.
using VariableReader = std::function<std::optional<std::string>(const std::string& name)>;

/// The variable in which our launcher tells the ranks the libmpi of its mpirun.
inline constexpr std::string_view kLibmpiVariable = "GPUADAPT_LIBMPI";

/// True when mpirun, prterun or srun with PMIx started this process. Nothing else may call MPI_Init: Open MPI ends a
/// process that it cannot connect (as a lone process with an empty environment).
[[nodiscard]] bool launched_by_mpi(const VariableReader& variable);

/// Why this process is one of several that cannot find each other: it was started by another MPI's launcher, or by srun
/// without PMIx. Error(input) with the way out; nullopt when nothing says so. Without this, N processes would each
/// measure as "rank 0 of 1".
[[nodiscard]] std::optional<Error> launch_mistake(const VariableReader& variable);

/// The same of a process that launched_by_mpi() let into MPI: Error(tool) when its launcher announced several ranks and
/// MPI found only this one. Open MPI 5.0 goes on like that when it cannot reach the PMIx server that srun or mpirun
/// named; some of its versions then crash in MPI_Finalize, so that nothing should depend on it.
[[nodiscard]] std::optional<Error> lone_rank(const VariableReader& variable, int world_size);

/// Where to look for the libmpi that belongs to the mpirun that started us, best first: the variable above,
/// OPAL_PREFIX, the folder of the parent process (/proc/<ppid>/exe: mpirun, orted, prted), the sonames.
[[nodiscard]] std::vector<std::string> libmpi_candidates(const VariableReader& variable, Root& root, long parent_pid);
/// The libmpi candidates of one mpirun, given the path of its program with all links resolved.
[[nodiscard]] std::vector<std::string> libmpi_candidates_of(const std::string& mpirun_program);

/// Opens libmpi, calls MPI_Init_thread, sets MPI's errors to return and compares the ranks' library versions; its end
/// calls MPI_Finalize. One of it a process, once. Groups made from it must not outlive it.
class MpiSession {
  public:
    virtual ~MpiSession() = default;
    /// All ranks of the job. Valid as long as the session.
    [[nodiscard]] virtual Group& world() = 0;
    /// File of the libmpi in use.
    [[nodiscard]] virtual const std::string& library_path() const = 0;
    /// First line of MPI_Get_library_version: "Open MPI v4.1.4, package: ...".
    [[nodiscard]] virtual const std::string& library_version() const = 0;

    /// Throws Error(tool): no candidate can be opened (each with its reason), the library is no Open MPI (MPICH and
    /// Intel MPI have other handles), its version is not 4 or 5, MPI_Init fails, or ranks run different versions.
    static std::unique_ptr<MpiSession> start(const std::vector<std::string>& candidates);
};

}  // namespace gpuadapt

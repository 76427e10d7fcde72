// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/host/root.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Starting the ranks with Open MPI's mpirun, and reading what it says when that fails.
namespace gpuadapt {

struct Mpirun {
    std::string path;                   ///< as it is started
    std::string program;                ///< the same with all links resolved
    int major = 0, minor = 0;           ///< 4.1, 5.0
    std::string version;                ///< "4.1.4"
    std::optional<std::string> libmpi;  ///< file of its libmpi; nullopt: where the dynamic linker finds one
};

/// Finds mpirun: `given` (--mpirun) or else in the folders of `path_list` (PATH), /opt/maca/ompi/bin,
/// /usr/lib64/openmpi/bin, /usr/mpi/gcc/openmpi-*/bin, /opt/hpcx*/ompi/bin, in this order.
/// Throws Error(tool) when there is none (with what to install), Error(input) when `given` is not usable, and
/// Error(tool) when it is another MPI's (MPICH, Intel MPI) or a version other than 4 or 5.
[[nodiscard]] Mpirun find_mpirun(Root& root, const std::string& path_list, const std::optional<std::string>& given);

/// Version from the output of `mpirun --version`: "mpirun (Open MPI) 4.1.4". nullopt when it is no Open MPI's.
struct MpirunVersion {
    int major = 0, minor = 0;
    std::string text;
    bool operator==(const MpirunVersion&) const = default;
};
[[nodiscard]] std::optional<MpirunVersion> parse_mpirun_version(std::string_view output);

struct LaunchPlan {
    int ranks = 1;
    int cores = 1;  ///< of this host that the ranks may use
    bool root = false;
    bool host_memory = true;                         ///< ranks compute on cores: oversubscribing is allowed and said
    std::vector<std::string> hosts;                  ///< "name" or "name:slots"; empty: this host
    std::map<std::string, std::string> environment;  ///< set for the ranks (-x NAME=value)
    std::vector<std::string> exported;  ///< variables of ours that are passed on (-x NAME); mpirun warns of unset ones
    std::vector<std::string> extra;     ///< more options of mpirun, as the user gave them
    std::vector<std::string> command;   ///< the program of the ranks
};

/// The whole argument list, mpirun first. With libmpi known, GPUADAPT_LIBMPI is set for the ranks as well.
[[nodiscard]] std::vector<std::string> mpirun_command(const Mpirun& mpirun, const LaunchPlan& plan);

/// What mpirun's standard error (and output) says about a failed launch: the most telling of all texts it knows.
/// The finding's check id is "launch.<cause>", its subject the rank, host or option at fault. nullopt: nothing known.
[[nodiscard]] std::optional<Finding> explain_mpirun(std::string_view output);

/// The rank that died first, as mpirun names it.
struct DeadRank {
    int rank = -1;
    std::string host;
    std::optional<long> pid;
    std::optional<int> signal;       ///< 9
    std::optional<int> exit_status;  ///< of a rank that returned a non-zero status or called MPI_Abort
    bool operator==(const DeadRank&) const = default;
};
[[nodiscard]] std::optional<DeadRank> parse_dead_rank(std::string_view output);

}  // namespace gpuadapt

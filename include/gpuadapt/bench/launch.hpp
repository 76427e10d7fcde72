// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Starting the ranks with Open MPI's mpirun, and reading what it says when that fails.
namespace gpuadapt {

/// What a launcher needs to know of this machine. Each function is a thin wrapper of the host layer.
struct LaunchHost {
    /// Value of an environment variable, nullopt when unset.
    std::function<std::optional<std::string>(const std::string& name)> environment;
    /// True when `path` is an executable file.
    std::function<bool(const std::string& path)> executable;
    /// Names in a folder, empty when it cannot be read.
    std::function<std::vector<std::string>(const std::string& folder)> list;
    /// `path` with all links resolved, nullopt when it does not exist.
    std::function<std::optional<std::string>(const std::string& path)> resolve;
    /// Standard output of a program, nullopt when it cannot be run or fails.
    std::function<std::optional<std::string>(const std::vector<std::string>& command)> output;
};

struct Mpirun {
    std::string path;                 ///< as it is started
    std::string program;              ///< the same with all links resolved
    int major = 0, minor = 0;         ///< 4.1, 5.0
    std::string version;              ///< "4.1.4"
    std::vector<std::string> libmpi;  ///< where its libmpi is, best first
};

/// Finds mpirun: `given` (--mpirun) or else PATH, /opt/maca/ompi/bin, /usr/lib64/openmpi/bin,
/// /usr/mpi/gcc/openmpi-*/bin, /opt/hpcx*/ompi/bin.
/// Throws Error(tool) when there is none (with what to install), Error(input) when `given` is not usable, and
/// Error(tool) when it is another MPI's (MPICH, Intel MPI) or a version other than 4 or 5.
[[nodiscard]] Mpirun find_mpirun(const LaunchHost& host, const std::optional<std::string>& given);

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
    std::vector<std::string> exported;               ///< names passed on as they are (-x NAME); unset ones are left out
    std::vector<std::string> extra;                  ///< more options of mpirun, as the user gave them
    std::vector<std::string> command;                ///< the program of the ranks
};

/// The whole argument list, mpirun first.
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

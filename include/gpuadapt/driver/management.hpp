// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/driver/library.hpp>
#include <gpuadapt/host/command.hpp>

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The libraries by which vendors manage their devices: NVML of NVIDIA, MXSML of MetaX, libibverbs for RDMA.
///
/// They talk to a driver that may hang or crash, so they are never loaded into the process that asks: it starts itself
/// once more (kManagementFlag) and gives that child a time limit. Facts are a Machine of which only `gpus`,
/// `rdma_devices`, `versions` and `unread` are filled.
namespace gpuadapt {

/// Where facts go while a library is asked.
struct ManagementSink {
    std::function<void(const Machine&)> facts;           ///< a part, as soon as it is known: versions, then each GPU
    std::function<void(std::string_view call)> calling;  ///< before each call of the library: "nvmlInit_v2"
};

struct ManagementLibrary {
    std::string_view id;                      ///< "nvml"
    std::string_view name;                    ///< "NVML"
    std::string_view vendor;                  ///< as Gpu::vendor; empty: not about GPUs
    std::span<const std::string_view> files;  ///< tried in this order
    /// Throws Error(tool) when it is another library, or does not start: the driver is missing, of another version,
    /// or closed to this user.
    void (*read)(const Library& library, const ManagementSink& sink);
};

/// The table; one row a vendor.
[[nodiscard]] std::span<const ManagementLibrary> management_libraries();
[[nodiscard]] const ManagementLibrary* find_management_library(std::string_view id);

/// First argument of the child. The others: the id of a row, and files to try instead of the row's.
inline constexpr std::string_view kManagementFlag = "--internal-management-facts";

/// What the child does with the arguments after kManagementFlag, and its exit status. It writes its parts through
/// `out`, each as a JSON text between two bytes 0x1e, and the calls it makes through `err`, each a line without its
/// line end.
[[nodiscard]] int run_management_child(std::span<const char* const> arguments,
                                       const std::function<void(std::string_view)>& out,
                                       const std::function<void(std::string_view)>& err);

/// The child, for Root::run(), so that a recording keeps what it answered and a copied tree has no such thing.
/// `program` is one whose main() hands kManagementFlag to run_management_child().
[[nodiscard]] std::vector<std::string> management_command(const ManagementLibrary& row,
                                                          const std::string& program = "/proc/self/exe");
/// NVML takes seconds for each GPU whose driver is not kept loaded.
inline constexpr std::chrono::milliseconds kManagementLimit{30000};

/// The facts in the child's answer. What could not be found out, and why (not found, driver of another version, no
/// permission, no answer in time, crash), is in `unread` under the library's name; what was known before a time-out
/// or a crash stays. Takes any bytes.
[[nodiscard]] Machine management_facts(const ManagementLibrary& row, const CommandResult& answer);

}  // namespace gpuadapt

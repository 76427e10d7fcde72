// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/management_calls.hpp"

/// The part of NVML (libnvidia-ml.so.1) that is read, declared for its binary interface. Source: NVIDIA's NVML API
/// reference; only structs that did not change since they were introduced.
namespace gpuadapt::nvml {

using Device = struct DeviceObject*;
using Code = int;

/// nvmlReturn_t
inline constexpr std::uint32_t kInvalidArgument = 2;
inline constexpr std::uint32_t kNotSupported = 3;
inline constexpr std::uint32_t kNotFound = 6;
inline constexpr std::uint32_t kInsufficientSize = 7;
inline constexpr std::uint32_t kFunctionNotFound = 13;

/// nvmlPciInfo_t. The second version, which some symbols of old drivers fill, has the same first six members.
struct PciInfo {
    std::array<char, 16> legacy_id;
    std::uint32_t domain, bus, device, ids, subsystem_ids;
    std::array<char, 32> id;
};

/// nvmlMemory_t counts what the driver keeps for itself as used; the second version, with which nvidia-smi counts, does
/// not. Bytes.
struct Memory {
    std::uint64_t total, free, used;
};
struct Memory2 {
    std::uint32_t version;
    std::uint64_t total, reserved, free, used;
};
inline constexpr std::uint32_t kMemory2Version = sizeof(Memory2) | (2U << 24U);

/// nvmlProcessInfo_v1_t and nvmlProcessInfo_v2_t
struct Process1 {
    std::uint32_t pid;
    std::uint64_t memory;  ///< bytes; all ones: not known
};
struct Process2 {
    std::uint32_t pid;
    std::uint64_t memory;
    std::uint32_t gpu_instance, compute_instance;
};

/// nvmlFieldValue_t; the value of a speed is a 32-bit number.
struct FieldValue {
    std::uint32_t field, scope;
    std::int64_t timestamp_us, latency_us;
    std::uint32_t type, code;
    union {
        std::uint32_t number;
        std::uint64_t whole;
    } value;
};
inline constexpr std::uint32_t kFieldLinkSpeed = 164;       ///< MB/s of the link in `scope`
inline constexpr std::uint32_t kFieldCommonLinkSpeed = 90;  ///< MB/s, before there was the above
inline constexpr std::uint32_t kMaxLinks = 36;              ///< more than any device has

/// The one list: member, parameters, symbols with the newest first.
#define GPUADAPT_NVML_FUNCTIONS(X)                                                                                \
    X(init, (), "nvmlInit_v2", "nvmlInit")                                                                        \
    X(shutdown, (), "nvmlShutdown")                                                                               \
    X(driver_version, (char*, unsigned), "nvmlSystemGetDriverVersion")                                            \
    X(nvml_version, (char*, unsigned), "nvmlSystemGetNVMLVersion")                                                \
    X(cuda_version, (int*), "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion")                \
    X(process_name, (unsigned, char*, unsigned), "nvmlSystemGetProcessName")                                      \
    X(count, (unsigned*), "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount")                                          \
    X(by_index, (unsigned, Device*), "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex")               \
    X(pci_info, (Device, PciInfo*), "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo") \
    X(name, (Device, char*, unsigned), "nvmlDeviceGetName")                                                       \
    X(uuid, (Device, char*, unsigned), "nvmlDeviceGetUUID")                                                       \
    X(serial, (Device, char*, unsigned), "nvmlDeviceGetSerial")                                                   \
    X(part_number, (Device, char*, unsigned), "nvmlDeviceGetBoardPartNumber")                                     \
    X(vbios, (Device, char*, unsigned), "nvmlDeviceGetVbiosVersion")                                              \
    X(memory, (Device, Memory*), "nvmlDeviceGetMemoryInfo")                                                       \
    X(memory2, (Device, Memory2*), "nvmlDeviceGetMemoryInfo_v2")                                                  \
    X(ecc_mode, (Device, unsigned*, unsigned*), "nvmlDeviceGetEccMode")                                           \
    X(ecc_errors, (Device, unsigned, unsigned, std::uint64_t*), "nvmlDeviceGetTotalEccErrors")                    \
    X(remapped_rows, (Device, unsigned*, unsigned*, unsigned*, unsigned*), "nvmlDeviceGetRemappedRows")           \
    X(retired_pending, (Device, unsigned*), "nvmlDeviceGetRetiredPagesPendingStatus")                             \
    X(clock, (Device, unsigned, unsigned*), "nvmlDeviceGetClockInfo")                                             \
    X(max_clock, (Device, unsigned, unsigned*), "nvmlDeviceGetMaxClockInfo")                                      \
    X(throttle, (Device, std::uint64_t*), "nvmlDeviceGetCurrentClocksEventReasons",                               \
      "nvmlDeviceGetCurrentClocksThrottleReasons")                                                                \
    X(temperature, (Device, unsigned, unsigned*), "nvmlDeviceGetTemperature")                                     \
    X(power, (Device, unsigned*), "nvmlDeviceGetPowerUsage")                                                      \
    X(power_limit, (Device, unsigned*), "nvmlDeviceGetPowerManagementLimit")                                      \
    X(power_default, (Device, unsigned*), "nvmlDeviceGetPowerManagementDefaultLimit")                             \
    X(persistence, (Device, unsigned*), "nvmlDeviceGetPersistenceMode")                                           \
    X(compute_mode, (Device, unsigned*), "nvmlDeviceGetComputeMode")                                              \
    X(mig_mode, (Device, unsigned*, unsigned*), "nvmlDeviceGetMigMode")                                           \
    X(compute_processes2, (Device, unsigned*, Process2*), "nvmlDeviceGetComputeRunningProcesses_v2")              \
    X(compute_processes1, (Device, unsigned*, Process1*), "nvmlDeviceGetComputeRunningProcesses")                 \
    X(graphics_processes2, (Device, unsigned*, Process2*), "nvmlDeviceGetGraphicsRunningProcesses_v2")            \
    X(graphics_processes1, (Device, unsigned*, Process1*), "nvmlDeviceGetGraphicsRunningProcesses")               \
    X(link_state, (Device, unsigned, unsigned*), "nvmlDeviceGetNvLinkState")                                      \
    X(link_remote, (Device, unsigned, PciInfo*), "nvmlDeviceGetNvLinkRemotePciInfo_v2")                           \
    X(link_remote_kind, (Device, unsigned, unsigned*), "nvmlDeviceGetNvLinkRemoteDeviceType")                     \
    X(link_errors, (Device, unsigned, unsigned, std::uint64_t*), "nvmlDeviceGetNvLinkErrorCounter")               \
    X(fields, (Device, int, FieldValue*), "nvmlDeviceGetFieldValues")

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a parameter list and a name, not values
#define GPUADAPT_NVML_MEMBER(member, parameters, ...) Entry<Code parameters> member;
    GPUADAPT_NVML_FUNCTIONS(GPUADAPT_NVML_MEMBER)
#undef GPUADAPT_NVML_MEMBER
};

/// See ManagementLibrary::read.
void read(const Library& library, const ManagementSink& sink);

/// The NVLinks of a device: nvml_links.cpp.
void read_links(const Api& api, Device device, Calls& calls, Gpu& gpu);

/// "0000:3a:00.0"; nullopt when nothing was filled in.
[[nodiscard]] std::optional<std::string> address_of(const PciInfo& info);

}  // namespace gpuadapt::nvml

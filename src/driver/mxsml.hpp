// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/management_calls.hpp"

/// The part of MXSML (libmxsml.so.2) that is read, declared for its binary interface. A function returns a code; the
/// size of an array or text goes in and out through a pointer. Not tried on MetaX hardware.
namespace gpuadapt::mxsml {

using Code = std::uint32_t;
using Id = std::uint32_t;

inline constexpr std::uint32_t kNotSupported = 3;
inline constexpr std::uint32_t kInsufficientSize = 10;
inline constexpr std::uint32_t kMaxLinks = 7;

struct DeviceInfo {
    std::uint32_t device, type;
    std::array<char, 32> address;
    std::uint32_t gpu, node;
    std::array<char, 96> uuid;
    std::uint32_t brand;  ///< 1 N, 2 C, 3 G
    std::uint32_t mode;   ///< 0 native, 1 physical function, 2 virtual function
    std::array<char, 32> name;
};

struct Memory {  ///< KiB
    std::int64_t visible_total, visible_used, total, used, host_total, host_used;
};

struct BoardPower {
    std::uint32_t millivolts, milliamperes, milliwatts;
};

struct EccErrors {
    std::uint32_t sram_corrected, sram_uncorrected, dram_corrected, dram_uncorrected, retired_pages;
};

struct LinkRate {
    float gt_s;
    std::uint32_t lanes;
};
struct OldLinkRates {  ///< of the function before _v2
    std::array<float, kMaxLinks> gt_s;
    std::array<std::uint32_t, kMaxLinks> lanes;
};

struct LinkErrors {
    std::int32_t correctable, uncorrectable;
};

struct RemoteEnd {
    std::uint32_t device;
    std::array<char, 32> address;
};

struct ProcessGpu {
    std::array<char, 32> address;
    std::uint32_t gpu;
    std::uint64_t memory;  ///< bytes
};
struct Process {
    std::uint32_t pid;
    std::array<char, 64> name;
    std::uint32_t gpu_count;
    std::array<ProcessGpu, 64> gpus;
};

/// The one list: member, result, parameters, symbols with the newest first.
#define GPUADAPT_MXSML_FUNCTIONS(X)                                                       \
    X(init, Code, (), "mxSmlInit")                                                        \
    X(count, std::uint32_t, (), "mxSmlGetDeviceCount")                                    \
    X(maca_version, Code, (char*, unsigned*), "mxSmlGetMacaVersion")                      \
    X(device_info, Code, (Id, DeviceInfo*), "mxSmlGetDeviceInfo")                         \
    X(device_version, Code, (Id, unsigned, char*, unsigned*), "mxSmlGetDeviceVersion")    \
    X(board_serial, Code, (Id, char*, unsigned*), "mxSmlGetBoardSerial")                  \
    X(memory, Code, (Id, Memory*), "mxSmlGetMemoryInfo")                                  \
    X(temperature, Code, (Id, unsigned, int*), "mxSmlGetTemperatureInfo")                 \
    X(board_power, Code, (Id, unsigned*, BoardPower*), "mxSmlGetBoardPowerInfo")          \
    X(power_limit, Code, (Id, unsigned*), "mxSmlGetBoardPowerLimit")                      \
    X(clocks, Code, (Id, unsigned, unsigned*, unsigned*), "mxSmlGetClocks")               \
    X(clock_levels, Code, (Id, unsigned, unsigned*, unsigned*), "mxSmlGetDpmIpClockInfo") \
    X(throttle, Code, (Id, std::uint64_t*), "mxSmlGetCurrentClocksThrottleReason")        \
    X(ecc_state, Code, (Id, unsigned*), "mxSmlGetEccState")                               \
    X(ecc_errors, Code, (Id, EccErrors*), "mxSmlGetTotalEccErrors")                       \
    X(sgpu_toggle, Code, (Id, unsigned*), "mxSmlGetSgpuToggle")                           \
    X(processes, Code, (Id, unsigned*, Process*), "mxSmlGetSingleGpuProcess")             \
    X(link_rates, Code, (Id, unsigned*, LinkRate*), "mxSmlGetMetaXLinkInfo_v2")           \
    X(old_link_rates, Code, (Id, OldLinkRates*), "mxSmlGetMetaXLinkInfo")                 \
    X(link_state, Code, (Id, unsigned*, char*, unsigned*), "mxSmlGetMetaXLinkState")      \
    X(port_states, Code, (Id, unsigned*, unsigned*), "mxSmlGetMetaXLinkPortState")        \
    X(link_errors, Code, (Id, unsigned*, LinkErrors*), "mxSmlGetMetaXLinkAer")            \
    X(link_remote, Code, (Id, unsigned, RemoteEnd*), "mxSmlGetMetaXLinkRemoteInfo")

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type, a parameter list and a name, not values
#define GPUADAPT_MXSML_MEMBER(member, result, parameters, ...) Entry<result parameters> member;
    GPUADAPT_MXSML_FUNCTIONS(GPUADAPT_MXSML_MEMBER)
#undef GPUADAPT_MXSML_MEMBER
};

/// See ManagementLibrary::read.
void read(const Library& library, const ManagementSink& sink);

/// The MetaXLinks of a device: mxsml_links.cpp.
void read_links(const Api& api, Id device, Calls& calls, Gpu& gpu);

/// A PCI address as the kernel writes it; nullopt when it is none.
[[nodiscard]] std::optional<std::string> address_of(const std::array<char, 32>& text);

/// A call that fills an array of at most `room` values and says how many there are.
template <class Value, std::size_t room, class Function, class... Arguments>
std::vector<Value> array_of(Calls& calls, const Function& entry, Id device, Arguments... arguments) {
    std::array<Value, room> values{};
    unsigned size = room;
    if (!calls.succeeds(entry, device, arguments..., &size, values.data()))
        return {};
    return {values.begin(), values.begin() + (size < room ? size : room)};
}

}  // namespace gpuadapt::mxsml

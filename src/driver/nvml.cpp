// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml.hpp"

#include <gpuadapt/core/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace gpuadapt::nvml {

namespace {

constexpr std::size_t kTextRoom = 256;  // more than any NVML_*_BUFFER_SIZE of the texts read here
constexpr std::uint32_t kMaxProcesses = 4096;

CallFailure explain(const Library& library, std::uint32_t code) {
    const bool absent = code == kNotSupported || code == kNotFound || code == kFunctionNotFound;
    using ErrorString = const char*(int);
    auto* const error_string = reinterpret_cast<ErrorString*>(library.find("nvmlErrorString"));
    const char* text = error_string != nullptr ? error_string(static_cast<int>(code)) : nullptr;
    return {absent, fmt::format("{} (NVML error {})", text != nullptr ? text : "no reason given", code)};
}

Api load(const Library& library) {
    Api api;
#define GPUADAPT_NVML_LOAD(member, parameters, ...) api.member.find_in(library, {__VA_ARGS__});
    GPUADAPT_NVML_FUNCTIONS(GPUADAPT_NVML_LOAD)
#undef GPUADAPT_NVML_LOAD
    for (const auto& [present, symbol] :
         {std::pair{api.init.call != nullptr, api.init.symbol}, std::pair{api.count.call != nullptr, api.count.symbol},
          std::pair{api.by_index.call != nullptr, api.by_index.symbol},
          std::pair{api.pci_info.call != nullptr, api.pci_info.symbol}})
        if (!present)
            static_cast<void>(library.require(symbol));
    return api;
}

/// What a call writes into a buffer whose size follows.
template <class Function, class... Arguments>
std::optional<std::string> text(Calls& calls, const Function& entry, Arguments... arguments) {
    std::array<char, kTextRoom> buffer{};
    const bool done = calls.succeeds(entry, arguments..., buffer.data(), static_cast<unsigned>(buffer.size()));
    return done ? buffer_text(buffer) : std::nullopt;
}

std::optional<int> to_int(std::optional<unsigned> value) {
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<std::int64_t> to_int64(std::optional<std::uint64_t> value) {
    return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

std::optional<double> watts(std::optional<unsigned> milliwatts) {
    return milliwatts ? std::optional(*milliwatts / 1000.0) : std::nullopt;
}

void read_identity(const Api& api, Device device, Calls& calls, Gpu& gpu) {
    gpu.model = text(calls, api.name, device);
    gpu.uuid = text(calls, api.uuid, device);
    gpu.serial = text(calls, api.serial, device);
    gpu.part_number = text(calls, api.part_number, device);
    gpu.vbios = text(calls, api.vbios, device);
}

void read_memory(const Api& api, Device device, Calls& calls, Gpu& gpu) {
    Memory2 second{};
    second.version = kMemory2Version;
    if (calls.succeeds(api.memory2, device, &second)) {
        gpu.memory_bytes = static_cast<std::int64_t>(second.total);
        gpu.memory_used_bytes = static_cast<std::int64_t>(second.used);
    } else if (const auto first = calls.get<Memory>(api.memory, device)) {
        gpu.memory_bytes = static_cast<std::int64_t>(first->total);
        gpu.memory_used_bytes = static_cast<std::int64_t>(first->used);
    }
}

void read_health(const Api& api, Device device, Calls& calls, Gpu& gpu) {
    unsigned pending = 0;
    unsigned current = 0;
    if (calls.succeeds(api.ecc_mode, device, &current, &pending)) {
        gpu.ecc = current != 0;
        gpu.ecc_pending = pending != 0;
    }
    constexpr unsigned kCorrected = 0;
    constexpr unsigned kUncorrected = 1;
    constexpr unsigned kSinceDriverLoad = 0;
    gpu.ecc_corrected = to_int64(calls.get<std::uint64_t>(api.ecc_errors, device, kCorrected, kSinceDriverLoad));
    gpu.ecc_uncorrected = to_int64(calls.get<std::uint64_t>(api.ecc_errors, device, kUncorrected, kSinceDriverLoad));
    // Row remapping came with Ampere; before it, pages were retired.
    unsigned correctable = 0;
    unsigned uncorrectable = 0;
    unsigned failed = 0;
    if (calls.succeeds(api.remapped_rows, device, &correctable, &uncorrectable, &pending, &failed))
        gpu.remap_pending = pending != 0;
    else if (const auto retired = calls.get<unsigned>(api.retired_pending, device))
        gpu.remap_pending = *retired != 0;
}

void read_clocks(const Api& api, Device device, Calls& calls, Gpu& gpu) {
    constexpr unsigned kGraphics = 0;
    constexpr unsigned kMemory = 2;
    gpu.core_mhz = to_int(calls.get<unsigned>(api.clock, device, kGraphics));
    gpu.core_max_mhz = to_int(calls.get<unsigned>(api.max_clock, device, kGraphics));
    gpu.memory_mhz = to_int(calls.get<unsigned>(api.clock, device, kMemory));
    gpu.memory_max_mhz = to_int(calls.get<unsigned>(api.max_clock, device, kMemory));
    if (const auto mask = calls.get<std::uint64_t>(api.throttle, device))
        gpu.throttle_reasons = bit_names(*mask, {{0x1, "gpu_idle"},
                                                 {0x2, "applications_clocks_setting"},
                                                 {0x4, "sw_power_cap"},
                                                 {0x8, "hw_slowdown"},
                                                 {0x10, "sync_boost"},
                                                 {0x20, "sw_thermal_slowdown"},
                                                 {0x40, "hw_thermal_slowdown"},
                                                 {0x80, "hw_power_brake_slowdown"},
                                                 {0x100, "display_clock_setting"}});
}

void read_state(const Api& api, Device device, Calls& calls, Gpu& gpu) {
    constexpr unsigned kOnDie = 0;
    if (const auto celsius = calls.get<unsigned>(api.temperature, device, kOnDie))
        gpu.temperature_c = *celsius;
    gpu.power_w = watts(calls.get<unsigned>(api.power, device));
    gpu.power_limit_w = watts(calls.get<unsigned>(api.power_limit, device));
    gpu.power_limit_default_w = watts(calls.get<unsigned>(api.power_default, device));
    if (const auto on = calls.get<unsigned>(api.persistence, device))
        gpu.persistence = *on != 0;
    constexpr std::array kComputeModes = {"default", "exclusive_thread", "prohibited", "exclusive_process"};
    if (const auto mode = calls.get<unsigned>(api.compute_mode, device))
        gpu.compute_mode = *mode < kComputeModes.size() ? kComputeModes[*mode] : fmt::format("mode {}", *mode);
    unsigned current = 0;
    unsigned pending = 0;
    if (calls.succeeds(api.mig_mode, device, &current, &pending))
        gpu.partitioned = current != 0;
}

/// What the library said last: 0 when the list is whole, nullopt where it has no such function. The list grows between
/// the two calls when a process starts in that moment, so there is room for some more.
template <class Process, class Function>
std::optional<std::uint32_t> list_processes(const Api& api, const Function& entry, Device device, Calls& calls,
                                            Gpu& gpu) {
    unsigned count = 0;
    const auto first = calls.code(entry, device, &count, static_cast<Process*>(nullptr));
    if (first != kInsufficientSize || count > kMaxProcesses)
        return first;  // 0: there is none
    std::vector<Process> found(count + 16U);
    count = static_cast<unsigned>(found.size());
    if (const auto second = calls.code(entry, device, &count, found.data()); second != 0U)
        return second;
    found.resize(std::min<std::size_t>(count, found.size()));
    for (const Process& row : found) {
        const auto same = [&](const GpuProcess& known) { return known.pid == row.pid; };
        if (std::any_of(gpu.processes.begin(), gpu.processes.end(), same))
            continue;  // computes and draws
        GpuProcess process;
        process.pid = row.pid;
        process.name = text(calls, api.process_name, row.pid);
        if (row.memory != ~std::uint64_t{0})
            process.memory_bytes = static_cast<std::int64_t>(row.memory);
        gpu.processes.push_back(std::move(process));
    }
    return 0;
}

/// A failure of the newer function is worth a note when the older one does not make up for it.
template <class Newer, class Older>
void read_processes(const Api& api, const Newer& newer, const Older& older, Device device, Calls& calls, Gpu& gpu) {
    const auto code = list_processes<Process2>(api, newer, device, calls, gpu);
    if (code == 0U)
        return;
    const auto older_code = list_processes<Process1>(api, older, device, calls, gpu);
    if (older_code == 0U)
        return;
    calls.note(code ? newer.symbol : older.symbol, code.value_or(older_code.value_or(0)));
}

void read_all_processes(const Api& api, Device device, Calls& calls, Gpu& gpu) {
    read_processes(api, api.compute_processes2, api.compute_processes1, device, calls, gpu);
    read_processes(api, api.graphics_processes2, api.graphics_processes1, device, calls, gpu);
}

void read_versions(const Api& api, const Library& library, Calls& calls, Machine& facts) {
    const auto keep = [&](const char* name, const std::optional<std::string>& version) {
        if (version)
            facts.versions[name] = {*version, library.path()};
    };
    keep("driver", text(calls, api.driver_version));
    keep("NVML", text(calls, api.nvml_version));
    if (const auto cuda = calls.get<int>(api.cuda_version); cuda && *cuda > 0)
        keep("CUDA driver", fmt::format("{}.{}", *cuda / 1000, *cuda % 1000 / 10));
}

void read_device(const Api& api, const Library& library, const ManagementSink& sink, unsigned index) {
    const std::string number = fmt::format("NVML, GPU {}", index);
    Calls finding(number, sink, explain, library);
    const auto device = finding.get<Device>(api.by_index, index);
    const auto pci = device ? finding.get<PciInfo>(api.pci_info, *device) : std::nullopt;
    const auto address = pci ? address_of(*pci) : std::nullopt;
    if (!address)
        return sink.facts(unplaced_device(finding, number));
    Calls calls("NVML, GPU " + *address, sink, explain, library);
    Gpu gpu;
    gpu.address = *address;
    gpu.vendor = "nvidia";
    gpu.index = static_cast<int>(index);
    read_identity(api, *device, calls, gpu);
    read_memory(api, *device, calls, gpu);
    read_health(api, *device, calls, gpu);
    read_clocks(api, *device, calls, gpu);
    read_state(api, *device, calls, gpu);
    read_all_processes(api, *device, calls, gpu);
    read_links(api, *device, calls, gpu);
    Machine facts;
    facts.gpus.push_back(std::move(gpu));
    facts.unread = calls.notes();
    sink.facts(facts);
}

}  // namespace

std::optional<std::string> address_of(const PciInfo& info) {
    if (info.domain == 0 && info.bus == 0 && info.device == 0 && info.ids == 0)
        return std::nullopt;
    return fmt::format("{:04x}:{:02x}:{:02x}.0", info.domain, info.bus, info.device);
}

void read(const Library& library, const ManagementSink& sink) {
    const Api api = load(library);
    Calls calls("NVML", sink, explain, library);
    if (const auto code = calls.code(api.init); code != 0U)
        throw tool_error(calls.reason(code.value_or(0)));
    Machine facts;
    read_versions(api, library, calls, facts);
    const unsigned count = calls.get<unsigned>(api.count).value_or(0);
    facts.unread = calls.notes();
    sink.facts(facts);
    for (unsigned index = 0; index < count; ++index)
        read_device(api, library, sink, index);
    static_cast<void>(calls.code(api.shutdown));
}

}  // namespace gpuadapt::nvml

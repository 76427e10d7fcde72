// SPDX-License-Identifier: Apache-2.0
#include "driver/mxsml.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace gpuadapt::mxsml {

namespace {

constexpr std::size_t kTextRoom = 256;  // more than the 128 of the longest text read here
constexpr unsigned kMaxDevices = 256;
constexpr unsigned kMaxProcesses = 1024;

CallFailure explain(const Library& library, std::uint32_t code) {
    using ErrorString = const char*(Code);
    auto* const error_string = reinterpret_cast<ErrorString*>(library.find("mxSmlGetErrorString"));
    const char* text = error_string != nullptr ? error_string(code) : nullptr;
    return {code == kNotSupported,
            fmt::format("{} (MXSML error {})", text != nullptr ? text : "no reason given", code)};
}

Api load(const Library& library) {
    Api api;
#define GPUADAPT_MXSML_LOAD(member, result, parameters, ...) api.member.find_in(library, {__VA_ARGS__});
    GPUADAPT_MXSML_FUNCTIONS(GPUADAPT_MXSML_LOAD)
#undef GPUADAPT_MXSML_LOAD
    for (const auto& [present, symbol] :
         {std::pair{api.init.call != nullptr, api.init.symbol}, std::pair{api.count.call != nullptr, api.count.symbol},
          std::pair{api.device_info.call != nullptr, api.device_info.symbol}})
        if (!present)
            static_cast<void>(library.require(symbol));
    return api;
}

/// A text whose size goes in and out through the last parameter.
template <class Function, class... Arguments>
std::optional<std::string> text(Calls& calls, const Function& entry, Arguments... arguments) {
    std::array<char, kTextRoom> buffer{};
    auto size = static_cast<unsigned>(buffer.size());
    return calls.succeeds(entry, arguments..., buffer.data(), &size) ? buffer_text(buffer) : std::nullopt;
}

void read_power(const Api& api, Id device, Calls& calls, Gpu& gpu) {
    if (const auto ways = array_of<BoardPower, 8>(calls, api.board_power, device); !ways.empty()) {
        double milliwatts = 0;
        for (const BoardPower& way : ways)
            milliwatts += way.milliwatts;
        gpu.power_w = milliwatts / 1000;
    }
    if (const auto limit = calls.get<unsigned>(api.power_limit, device))
        gpu.power_limit_w = *limit / 1000.0;
    constexpr unsigned kHotspot = 0;
    if (const auto hundredths = calls.get<int>(api.temperature, device, kHotspot))
        gpu.temperature_c = *hundredths / 100.0;
}

void read_clocks(const Api& api, Id device, Calls& calls, Gpu& gpu) {
    constexpr unsigned kClockMemory = 3;  // memory controller 0
    constexpr unsigned kClockCore = 11;
    constexpr unsigned kLevelsCore = 1;
    constexpr unsigned kLevelsMemory = 2;
    const auto now = [&](unsigned unit) -> std::optional<int> {
        const auto clocks = array_of<unsigned, 8>(calls, api.clocks, device, unit);
        return clocks.empty() ? std::nullopt : std::optional(static_cast<int>(clocks.front()));
    };
    const auto highest = [&](unsigned unit) -> std::optional<int> {
        std::array<unsigned, 64> levels{};
        unsigned size = levels.size();
        if (!calls.succeeds(api.clock_levels, device, unit, levels.data(), &size))
            return std::nullopt;
        const unsigned top = *std::max_element(levels.begin(), levels.end());
        return top > 0 ? std::optional(static_cast<int>(top)) : std::nullopt;
    };
    gpu.core_mhz = now(kClockCore);
    gpu.memory_mhz = now(kClockMemory);
    gpu.core_max_mhz = highest(kLevelsCore);
    gpu.memory_max_mhz = highest(kLevelsMemory);
    if (const auto mask = calls.get<std::uint64_t>(api.throttle, device))
        gpu.throttle_reasons = bit_names(*mask, {{0x1, "gpu_idle"},
                                                 {0x2, "applications_clocks_setting"},
                                                 {0x4, "over_power"},
                                                 {0x8, "chip_over_temperature"},
                                                 {0x10, "vr_over_temperature"},
                                                 {0x20, "hbm_over_temperature"},
                                                 {0x40, "thermal_over_temperature"},
                                                 {0x80, "pcc"},
                                                 {0x100, "power_brake"},
                                                 {0x200, "didt"},
                                                 {0x400, "low_usage"},
                                                 {0x80000000, "other"}});
}

void read_health(const Api& api, Id device, Calls& calls, Gpu& gpu) {
    if (const auto on = calls.get<unsigned>(api.ecc_state, device))
        gpu.ecc = *on != 0;
    if (const auto errors = calls.get<EccErrors>(api.ecc_errors, device)) {
        gpu.ecc_corrected = std::int64_t{errors->sram_corrected} + errors->dram_corrected;
        gpu.ecc_uncorrected = std::int64_t{errors->sram_uncorrected} + errors->dram_uncorrected;
    }
    if (const auto on = calls.get<unsigned>(api.sgpu_toggle, device))
        gpu.partitioned = *on != 0;
    if (const auto memory = calls.get<Memory>(api.memory, device)) {
        gpu.memory_bytes = memory->total * 1024;
        gpu.memory_used_bytes = memory->used * 1024;
    }
}

/// How many there are is said only together with them, so a full array is asked for again with more room.
void read_processes(const Api& api, Id device, Calls& calls, Gpu& gpu) {
    std::vector<Process> found(32);
    auto count = static_cast<unsigned>(found.size());
    auto code = calls.code(api.processes, device, &count, found.data());
    while (code && (code == kInsufficientSize || (code == 0U && count >= found.size())) &&
           found.size() < kMaxProcesses) {
        found.assign(found.size() * 2, Process{});
        count = static_cast<unsigned>(found.size());
        code = calls.code(api.processes, device, &count, found.data());
    }
    if (code && code != 0U) {
        calls.note(api.processes.symbol, *code);
        return;
    }
    found.resize(code ? std::min<std::size_t>(count, found.size()) : 0);
    for (const Process& row : found) {
        GpuProcess process;
        process.pid = row.pid;
        process.name = buffer_text(row.name);
        const std::size_t gpus = std::min<std::size_t>(row.gpu_count, row.gpus.size());
        for (std::size_t i = 0; i < gpus; ++i)
            if (address_of(row.gpus[i].address) == gpu.address)
                process.memory_bytes = static_cast<std::int64_t>(row.gpus[i].memory);
        gpu.processes.push_back(std::move(process));
    }
}

void read_device(const Api& api, const Library& library, const ManagementSink& sink, Id device) {
    const std::string number = fmt::format("MXSML, GPU {}", device);
    Calls finding(number, sink, explain, library);
    const auto info = finding.get<DeviceInfo>(api.device_info, device);
    const auto address = info ? address_of(info->address) : std::nullopt;
    if (!address)
        return sink.facts(unplaced_device(finding, number));
    Calls calls("MXSML, GPU " + *address, sink, explain, library);
    Gpu gpu;
    gpu.address = *address;
    gpu.vendor = "metax";
    gpu.index = static_cast<int>(device);
    gpu.model = buffer_text(info->name);
    gpu.uuid = buffer_text(info->uuid);
    gpu.serial = text(calls, api.board_serial, device);
    constexpr unsigned kBios = 0;
    gpu.vbios = text(calls, api.device_version, device, kBios);
    read_health(api, device, calls, gpu);
    read_power(api, device, calls, gpu);
    read_clocks(api, device, calls, gpu);
    read_processes(api, device, calls, gpu);
    read_links(api, device, calls, gpu);
    Machine facts;
    facts.gpus.push_back(std::move(gpu));
    facts.unread = calls.notes();
    sink.facts(facts);
}

}  // namespace

std::optional<std::string> address_of(const std::array<char, 32>& text) {
    auto address = buffer_text(text);
    if (!address || address->find(':') == std::string::npos || address->find('.') == std::string::npos)
        return std::nullopt;
    std::transform(address->begin(), address->end(), address->begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return address;
}

void read(const Library& library, const ManagementSink& sink) {
    const Api api = load(library);
    Calls calls("MXSML", sink, explain, library);
    if (const auto code = calls.code(api.init); code != 0U)
        throw tool_error(calls.reason(code.value_or(0)));
    Machine facts;
    if (const auto maca = text(calls, api.maca_version))
        facts.versions["MACA"] = {*maca, library.path()};
    const unsigned count = std::min(calls.code(api.count).value_or(0), kMaxDevices);
    constexpr unsigned kDriver = 1;
    if (count > 0)
        if (const auto driver = text(calls, api.device_version, Id{0}, kDriver))
            facts.versions["driver"] = {*driver, library.path()};
    facts.unread = calls.notes();
    sink.facts(facts);
    for (Id device = 0; device < count; ++device)
        read_device(api, library, sink, device);
}

}  // namespace gpuadapt::mxsml

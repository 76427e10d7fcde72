// SPDX-License-Identifier: Apache-2.0
// An MXSML with three invented devices, two of them linked. What it is to do wrong stands in the variable
// GPUADAPT_FAKE_MXSML: init, sysfs (the second device), many (processes), off (links), bad-address.
#include "driver/mxsml.hpp"

#include <cstdlib>
#include <cstring>

using namespace gpuadapt::mxsml;  // NOLINT(google-build-using-namespace)

namespace {

constexpr Code kOk = 0;
constexpr Code kSysfs = 4;

bool asked_for(const char* fault) {
    const char* wanted = std::getenv("GPUADAPT_FAKE_MXSML");  // NOLINT(concurrency-mt-unsafe)
    return wanted != nullptr && std::strcmp(wanted, fault) == 0;
}

Code fault_of(Id device) {
    return device == 1 && asked_for("sysfs") ? kSysfs : kOk;
}

template <std::size_t size>
void put(std::array<char, size>& place, const char* text) {
    std::strncpy(place.data(), text, size - 1);
}

Code put(char* buffer, unsigned* size, const char* text) {
    const auto needed = static_cast<unsigned>(std::strlen(text) + 1);
    if (needed > *size) {
        *size = needed;
        return kInsufficientSize;
    }
    std::memcpy(buffer, text, std::strlen(text) + 1);
    *size = needed;
    return kOk;
}

constexpr const char* kAddresses[] = {"0000:0E:00.0", "0000:0f:00.0", "0000:10:00.0"};

}  // namespace

extern "C" {

const char* mxSmlGetErrorString(Code code) {
    return code == kSysfs ? "sysfs error" : code == 26 ? "load library failed" : "other";
}
Code mxSmlInit() {
    return asked_for("init") ? 26 : kOk;
}
std::uint32_t mxSmlGetDeviceCount() {
    return 3;
}
Code mxSmlGetMacaVersion(char* buffer, unsigned* size) {
    return put(buffer, size, "9.8.1.20");
}
Code mxSmlGetDeviceInfo(Id device, DeviceInfo* info) {
    *info = {};
    info->device = device;
    put(info->address, asked_for("bad-address") && device == 2 ? "??" : kAddresses[device]);
    put(info->uuid, "GPU-aaaaaaaa-0000-0000-0000-000000000000");
    put(info->name, "MXC999");
    info->brand = 2;
    return kOk;
}
Code mxSmlGetDeviceVersion(Id, unsigned unit, char* buffer, unsigned* size) {
    return put(buffer, size, unit == 0 ? "1.99.0.0" : "9.8.30");
}
Code mxSmlGetBoardSerial(Id device, char* buffer, unsigned* size) {
    return fault_of(device) != kOk ? fault_of(device) : put(buffer, size, "EXMP0000000042");
}
Code mxSmlGetMemoryInfo(Id device, Memory* memory) {
    *memory = {
        .visible_total = 1, .visible_used = 2, .total = 67108864, .used = 845824, .host_total = 5, .host_used = 6};
    return fault_of(device);
}
Code mxSmlGetTemperatureInfo(Id device, unsigned, int* hundredths) {
    *hundredths = 3850;
    return fault_of(device);
}
Code mxSmlGetBoardPowerInfo(Id device, unsigned* size, BoardPower* ways) {
    *size = 3;
    ways[0] = {12000, 2100, 25789};
    ways[1] = {12000, 2200, 26652};
    ways[2] = {12000, 790, 9478};
    return fault_of(device);
}
Code mxSmlGetBoardPowerLimit(Id device, unsigned* milliwatts) {
    *milliwatts = 350000;
    return fault_of(device);
}
Code mxSmlGetClocks(Id device, unsigned unit, unsigned* size, unsigned* mhz) {
    *size = 1;
    mhz[0] = unit == 11 ? 1125 : 1800;
    return fault_of(device);
}
Code mxSmlGetDpmIpClockInfo(Id, unsigned unit, unsigned* mhz, unsigned* size) {
    *size = 3;
    mhz[0] = 400;
    mhz[1] = unit == 1 ? 1500 : 1800;
    mhz[2] = 1000;
    return kOk;
}
Code mxSmlGetCurrentClocksThrottleReason(Id device, std::uint64_t* mask) {
    *mask = device == 0 ? 0x401 : 0;
    return kOk;
}
Code mxSmlGetEccState(Id, unsigned* on) {
    *on = 1;
    return kOk;
}
Code mxSmlGetTotalEccErrors(Id device, EccErrors* errors) {
    *errors = {
        .sram_corrected = 1, .sram_uncorrected = 0, .dram_corrected = 2, .dram_uncorrected = 5, .retired_pages = 0};
    return fault_of(device);
}
Code mxSmlGetSgpuToggle(Id, unsigned*) {
    return kNotSupported;
}
Code mxSmlGetSingleGpuProcess(Id device, unsigned* count, Process* rows) {
    const unsigned there = asked_for("many") ? 40 : device == 0 ? 1 : 0;
    if (there > *count)
        return kInsufficientSize;  // and does not say how many
    for (unsigned i = 0; i < there; ++i) {
        rows[i] = {};
        rows[i].pid = 100 + i;
        put(rows[i].name, "trainer");
        rows[i].gpu_count = 2;
        put(rows[i].gpus[0].address, "0000:99:00.0");
        put(rows[i].gpus[1].address, kAddresses[device]);
        rows[i].gpus[1].memory = 4096;
    }
    *count = there;
    return kOk;
}

#ifdef STAND_IN_OLD
Code mxSmlGetMetaXLinkInfo(Id device, OldLinkRates* rates) {
    *rates = {};
    if (device < 2) {
        rates->gt_s[2] = 32;
        rates->lanes[2] = 8;
    }
    return kOk;
}
#else
Code mxSmlGetMetaXLinkInfo_v2(Id device, unsigned* size, LinkRate* rates) {
    *size = kMaxLinks;
    for (unsigned i = 0; i < kMaxLinks; ++i)
        rates[i] = device < 2 && i < 2 ? LinkRate{32, 16} : LinkRate{0, 0};
    return kOk;
}
Code mxSmlGetMetaXLinkState(Id, unsigned* state, char* words, unsigned* size) {
    *state = asked_for("off") ? 1 : 0;
    return put(words, size, "any");
}
Code mxSmlGetMetaXLinkAer(Id device, unsigned* size, LinkErrors* errors) {
    *size = kMaxLinks;
    for (unsigned i = 0; i < kMaxLinks; ++i)
        errors[i] = {device == 0 && i == 1 ? 7 : 0, 0};
    return kOk;
}
Code mxSmlGetMetaXLinkRemoteInfo(Id device, unsigned link, RemoteEnd* remote) {
    if (device > 1 || link > 1)
        return 9;
    *remote = {};
    remote->device = 1 - device;
    put(remote->address, kAddresses[1 - device]);
    return kOk;
}
#endif

}  // extern "C"

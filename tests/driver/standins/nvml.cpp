// SPDX-License-Identifier: Apache-2.0
// An NVML with two invented devices. What it is to do wrong stands in the variable GPUADAPT_FAKE_NVML:
// mismatch, denied, none, lost (the second device), hang, crash, noise.
#include "driver/nvml.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace gpuadapt::nvml;  // NOLINT(google-build-using-namespace)

namespace {

constexpr int kOk = 0;
constexpr int kDenied = 4;
constexpr int kMismatch = 18;
constexpr int kLost = 15;

bool asked_for(const char* fault) {
    const char* wanted = std::getenv("GPUADAPT_FAKE_NVML");  // NOLINT(concurrency-mt-unsafe)
    return wanted != nullptr && std::strcmp(wanted, fault) == 0;
}

// The address of a number of the array stands for the device.
unsigned numbers[] = {0, 1};

unsigned number_of(Device device) {
    return *reinterpret_cast<const unsigned*>(device);
}

int fault_of(Device device) {
    if (number_of(device) == 1 && asked_for("hang"))
        while (true)
            std::this_thread::sleep_for(std::chrono::seconds(1));
    if (number_of(device) == 1 && asked_for("crash"))
        std::raise(SIGABRT);  // the sanitizers take SIGSEGV for themselves
    return number_of(device) == 1 && asked_for("lost") ? kLost : kOk;
}

int put(char* buffer, unsigned size, const char* text) {
    if (std::strlen(text) + 1 > size)
        return 7;
    std::memcpy(buffer, text, std::strlen(text) + 1);
    return kOk;
}

int put(Device device, char* buffer, unsigned size, const char* first, const char* second) {
    const int fault = fault_of(device);
    return fault != kOk ? fault : put(buffer, size, number_of(device) == 0 ? first : second);
}

template <class Value>
int give(Device device, Value* place, Value first, Value second) {
    const int fault = fault_of(device);
    if (fault == kOk)
        *place = number_of(device) == 0 ? first : second;
    return fault;
}

void fill(PciInfo* info, unsigned bus, unsigned ids) {
    *info = {};
    info->bus = bus;
    info->ids = ids;
}

}  // namespace

extern "C" {

const char* nvmlErrorString(int code) {
    switch (code) {
        case kDenied:
            return "Insufficient Permissions";
        case kMismatch:
            return "Driver/library version mismatch";
        case kLost:
            return "GPU is lost";
        default:
            return "Not Supported";
    }
}
int nvmlShutdown() {
    return kOk;
}

int nvmlInit_v2() {
    if (asked_for("noise"))
        std::puts("fake: hello from a library that talks"), std::fflush(stdout);
    return asked_for("mismatch") ? kMismatch : asked_for("denied") ? kDenied : kOk;
}
int nvmlSystemGetDriverVersion(char* buffer, unsigned size) {
    if (asked_for("noise"))
        std::puts("fake: \"still\" {talking"), std::fflush(stdout);
    return put(buffer, size, "580.99.01");
}
int nvmlSystemGetNVMLVersion(char* buffer, unsigned size) {
    return put(buffer, size, "13.580.99.01");
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
    *version = 13000;
    return kOk;
}
int nvmlSystemGetProcessName(unsigned pid, char* buffer, unsigned size) {
    return pid == 4711 ? put(buffer, size, "/usr/bin/trainer") : 6;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = asked_for("none") ? 0 : 2;
    return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    if (index > 1)
        return 2;
    *device = reinterpret_cast<Device>(&numbers[index]);
    return kOk;
}
int nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
    fill(info, 6 + number_of(device), 0x233510de);
    return kOk;
}
int nvmlDeviceGetName(Device device, char* buffer, unsigned size) {
    return put(device, buffer, size, "Example X200", "Example X200");
}
int nvmlDeviceGetUUID(Device device, char* buffer, unsigned size) {
    return put(device, buffer, size, "GPU-00000000-1111-2222-3333-444444444444",
               "GPU-00000000-1111-2222-3333-555555555555");
}
int nvmlDeviceGetSerial(Device device, char* buffer, unsigned size) {
    return put(device, buffer, size, "1650000000001", "1650000000002");
}
int nvmlDeviceGetBoardPartNumber(Device device, char* buffer, unsigned size) {
    return put(device, buffer, size, "900-00000-0000-000", "900-00000-0000-000");
}
int nvmlDeviceGetVbiosVersion(Device device, char* buffer, unsigned size) {
    return put(device, buffer, size, "96.00.00.00.01", "96.00.00.00.02");
}
int nvmlDeviceGetMemoryInfo_v2(Device device, Memory2* memory) {
    if (memory->version != kMemory2Version)
        return 25;
    const int fault = fault_of(device);
    if (fault == kOk)
        *memory = {.version = memory->version, .total = 150754820096, .reserved = 600, .free = 1, .used = 4194304};
    return fault;
}
int nvmlDeviceGetEccMode(Device device, unsigned* current, unsigned* pending) {
    *pending = 1;
    return give(device, current, 1U, 0U);
}
int nvmlDeviceGetTotalEccErrors(Device device, unsigned kind, unsigned, std::uint64_t* count) {
    return give(device, count, std::uint64_t{kind == 0 ? 3U : 0U}, std::uint64_t{0});
}
int nvmlDeviceGetRemappedRows(Device device, unsigned*, unsigned*, unsigned* pending, unsigned*) {
    return give(device, pending, 0U, 1U);
}
int nvmlDeviceGetClockInfo(Device device, unsigned kind, unsigned* mhz) {
    return give(device, mhz, kind == 2 ? 3201U : 345U, kind == 2 ? 3201U : 1980U);
}
int nvmlDeviceGetMaxClockInfo(Device device, unsigned kind, unsigned* mhz) {
    return give(device, mhz, kind == 2 ? 3201U : 1980U, kind == 2 ? 3201U : 1980U);
}
int nvmlDeviceGetCurrentClocksEventReasons(Device device, std::uint64_t* mask) {
    return give(device, mask, std::uint64_t{0x1}, std::uint64_t{0x44});
}
int nvmlDeviceGetTemperature(Device device, unsigned, unsigned* celsius) {
    return give(device, celsius, 31U, 88U);
}
int nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
    return give(device, milliwatts, 76543U, 699000U);
}
int nvmlDeviceGetPowerManagementLimit(Device device, unsigned* milliwatts) {
    return give(device, milliwatts, 700000U, 500000U);
}
int nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* milliwatts) {
    return give(device, milliwatts, 700000U, 700000U);
}
int nvmlDeviceGetPersistenceMode(Device device, unsigned* on) {
    return give(device, on, 1U, 0U);
}
int nvmlDeviceGetComputeMode(Device device, unsigned* mode) {
    return give(device, mode, 0U, 3U);
}
int nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned*) {
    return give(device, current, 0U, 1U);
}
int nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count, Process2* rows) {
    if (number_of(device) == 1 && asked_for("processes denied"))
        return 4;
    const unsigned there = number_of(device) == 0 ? 2 : 0;
    if (*count < there) {
        *count = there;
        return 7;
    }
    *count = there;
    if (there == 2) {
        rows[0] = {.pid = 4711, .memory = 1048576, .gpu_instance = 0, .compute_instance = 0};
        rows[1] = {.pid = 4712, .memory = ~std::uint64_t{0}, .gpu_instance = 0, .compute_instance = 0};
    }
    return kOk;
}
int nvmlDeviceGetGraphicsRunningProcesses_v2(Device, unsigned* count, Process2* rows) {
    if (*count < 1) {
        *count = 1;
        return 7;
    }
    *count = 1;
    rows[0] = {.pid = 4711, .memory = 5, .gpu_instance = 0, .compute_instance = 0};
    return kOk;
}
int nvmlDeviceGetNvLinkState(Device device, unsigned link, unsigned* active) {
    if (link >= 4)
        return 2;
    return give(device, active, 1U, link == 2 ? 0U : 1U);
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned, PciInfo* info) {
    fill(info, 7 - number_of(device), 0x233510de);
    return kOk;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(Device, unsigned, unsigned* kind) {
    *kind = 0;
    return kOk;
}
int nvmlDeviceGetNvLinkErrorCounter(Device device, unsigned link, unsigned counter, std::uint64_t* count) {
    if (counter > 3)
        return 3;
    return give(device, count, std::uint64_t{0}, std::uint64_t{link == 1 && counter == 0 ? 12U : 0U});
}
int nvmlDeviceGetFieldValues(Device, int count, FieldValue* values) {
    for (int i = 0; i < count; ++i) {
        values[i].code = values[i].field == kFieldLinkSpeed && values[i].scope < 4 ? 0 : 3;
        values[i].value.number = 26562;
    }
    return kOk;
}

}  // extern "C"

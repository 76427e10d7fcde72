// SPDX-License-Identifier: Apache-2.0
// An NVML of before the suffixes "_v2" and "_v3", with few functions.
#include "driver/nvml.hpp"

#include <cstring>

using namespace gpuadapt::nvml;  // NOLINT(google-build-using-namespace)

namespace {

constexpr int kOk = 0;
char devices[1];

}  // namespace

extern "C" {

int nvmlInit() {
    return kOk;
}
int nvmlDeviceGetCount(unsigned* count) {
    *count = 1;
    return kOk;
}
int nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
    *device = reinterpret_cast<Device>(&devices[index]);
    return kOk;
}
int nvmlDeviceGetPciInfo_v2(Device, PciInfo* info) {
    // Writes 16 bytes less than the third version does.
    std::memset(static_cast<void*>(info), 0, 52);
    info->domain = 1;
    info->bus = 0x3b;
    info->ids = 0x1db610de;
    return kOk;
}
int nvmlDeviceGetMemoryInfo(Device, Memory* memory) {
    *memory = {.total = 16000, .free = 15000, .used = 1000};
    return kOk;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device, std::uint64_t* mask) {
    *mask = 0x1005;
    return kOk;
}
int nvmlDeviceGetComputeRunningProcesses(Device, unsigned* count, Process1* rows) {
    if (*count < 1) {
        *count = 1;
        return 7;
    }
    *count = 1;
    rows[0] = {.pid = 77, .memory = ~std::uint64_t{0}};
    return kOk;
}

}  // extern "C"

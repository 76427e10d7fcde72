// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

/// A libibverbs with three invented devices: mlx5_0 has two ports, mlx5_1 cannot be opened, mlx5_2 has none.
/// GPUADAPT_FAKE_VERBS is "none" (no device at all), "denied" (no list of them), "port" (port 2 does not
/// answer) or "hang" (opening never comes back).

namespace {

struct Device {
    const char* name;
    std::array<unsigned char, 8> guid;
    int ports;
};

std::array<Device, 3> devices = {{
    {"mlx5_0", {0xa0, 0x88, 0xc2, 0x03, 0x00, 0x30, 0x9a, 0x0d}, 2},
    {"mlx5_1", {0, 0, 0, 0, 0, 0, 0, 1}, -1},
    {"mlx5_2", {0, 0, 0, 0, 0, 0, 0, 2}, 0},
}};

bool fault(std::string_view name) {
    const char* value = std::getenv("GPUADAPT_FAKE_VERBS");
    return value != nullptr && name == value;
}

}  // namespace

extern "C" {

Device** ibv_get_device_list(int* count) {
    static std::array<Device*, 4> list = {&devices[0], &devices[1], &devices[2], nullptr};
    *count = fault("none") ? 0 : 3;
    errno = EPERM;
    if (fault("denied"))
        return nullptr;
    return list.data();
}

void ibv_free_device_list(Device**) {}

const char* ibv_get_device_name(Device* device) {
    return device->name;
}

std::uint64_t ibv_get_device_guid(Device* device) {
    std::uint64_t guid = 0;
    std::memcpy(&guid, device->guid.data(), sizeof guid);
    return guid;
}

Device* ibv_open_device(Device* device) {
    while (fault("hang"))
        pause();
    errno = EACCES;
    return device->ports < 0 ? nullptr : device;
}

int ibv_close_device(Device*) {
    return 0;
}

int ibv_query_port(Device* device, std::uint8_t number, std::uint32_t* attributes) {
    if (number == 2 && fault("port"))
        return EIO;
    if (number == 0 || number > device->ports)
        return EINVAL;
    attributes[0] = 4;                     // state
    attributes[1] = 5;                     // largest MTU: 4096
    attributes[2] = number == 1 ? 3 : 99;  // active MTU: 1024, and one that does not exist
    return 0;
}
}

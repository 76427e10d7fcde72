// SPDX-License-Identifier: Apache-2.0
#include "driver/verbs.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/text.hpp>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace gpuadapt::verbs {

namespace {

using Device = struct DeviceObject*;
using Context = struct ContextObject*;

constexpr int kMostPorts = 255;
constexpr std::uint32_t kLargestMtuCode = 5;
constexpr const char* kSubject = "libibverbs";

/// The first members of struct ibv_port_attr, which are the same in all versions, and room for more than any has.
struct PortAttributes {
    std::uint32_t state, max_mtu, active_mtu;
    std::array<std::uint32_t, 61> rest;
};

/// The binary interface of libibverbs.so.1, symbol version IBVERBS_1.1.
struct Api {
    Device* (*get_device_list)(int* count) = nullptr;
    void (*free_device_list)(Device* list) = nullptr;
    const char* (*get_device_name)(Device device) = nullptr;
    std::uint64_t (*get_device_guid)(Device device) = nullptr;  // big-endian
    Context (*open_device)(Device device) = nullptr;
    int (*close_device)(Context context) = nullptr;
    int (*query_port)(Context context, std::uint8_t port, PortAttributes* attributes) = nullptr;
};

template <typename Function>
void load(const Library& library, const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(library.require(symbol));
}

Api load_api(const Library& library) {
    Api api;
    load(library, "ibv_get_device_list", api.get_device_list);
    load(library, "ibv_free_device_list", api.free_device_list);
    load(library, "ibv_get_device_name", api.get_device_name);
    load(library, "ibv_get_device_guid", api.get_device_guid);
    load(library, "ibv_open_device", api.open_device);
    load(library, "ibv_close_device", api.close_device);
    load(library, "ibv_query_port", api.query_port);
    return api;
}

/// enum ibv_mtu: 1 is 256 bytes, 5 is 4096.
std::optional<int> bytes_of(std::uint32_t code) {
    return code >= 1 && code <= kLargestMtuCode ? std::optional(128 << code) : std::nullopt;
}

/// Bytes in the order in which they lie in memory, which is the network's: "a088:c203:0030:9a0d".
std::string guid_text(std::uint64_t guid) {
    std::array<unsigned char, sizeof guid> bytes{};
    std::memcpy(bytes.data(), &guid, sizeof guid);
    return fmt::format("{:02x}{:02x}:{:02x}{:02x}:{:02x}{:02x}:{:02x}{:02x}", bytes[0], bytes[1], bytes[2], bytes[3],
                       bytes[4], bytes[5], bytes[6], bytes[7]);
}

std::string message_of(int error) {
    return std::generic_category().message(error);
}

/// Why the ports end where they do; 0 behind the last one. libibverbs cannot say how many there are.
int read_ports(const Api& api, Context context, const ManagementSink& sink, RdmaDevice& device) {
    for (int number = 1; number <= kMostPorts; ++number) {
        PortAttributes attributes{};
        sink.calling("ibv_query_port");
        if (const int error = api.query_port(context, static_cast<std::uint8_t>(number), &attributes); error != 0)
            return error == EINVAL ? 0 : error;  // EINVAL: there is no such port
        RdmaPort port;
        port.number = number;
        port.mtu_bytes = bytes_of(attributes.active_mtu);
        port.max_mtu_bytes = bytes_of(attributes.max_mtu);
        device.ports.push_back(port);
    }
    return 0;
}

void read_device(const Api& api, Device handle, const ManagementSink& sink) {
    Machine part;
    RdmaDevice device;
    const char* name = api.get_device_name(handle);
    device.name = clean_utf8(name != nullptr ? name : "");
    device.node_guid = guid_text(api.get_device_guid(handle));
    sink.calling("ibv_open_device");
    errno = 0;
    if (Context context = api.open_device(handle)) {
        if (const int error = read_ports(api, context, sink, device))
            part.unread.push_back({kSubject, fmt::format("{}: port {} cannot be queried: {}", device.name,
                                                         device.ports.size() + 1, message_of(error))});
        sink.calling("ibv_close_device");
        api.close_device(context);
    } else {
        const std::string cause = errno != 0 ? message_of(errno) : "no reason given";
        part.unread.push_back({kSubject, fmt::format("{}: cannot be opened: {}", device.name, cause)});
    }
    part.rdma_devices.push_back(std::move(device));
    sink.facts(part);
}

}  // namespace

void read(const Library& library, const ManagementSink& sink) {
    const Api api = load_api(library);
    int count = 0;
    sink.calling("ibv_get_device_list");
    errno = 0;
    Device* list = api.get_device_list(&count);
    if (list == nullptr && errno != 0 && errno != ENOSYS)  // ENOSYS: a kernel without RDMA
        throw tool_error(fmt::format("its list of devices cannot be read: {}", message_of(errno)));
    sink.facts({});  // so that no device is an answer too
    if (list == nullptr)
        return;
    for (int i = 0; i < count; ++i)
        read_device(api, list[i], sink);
    api.free_device_list(list);
}

}  // namespace gpuadapt::verbs

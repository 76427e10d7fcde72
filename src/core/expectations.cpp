// SPDX-License-Identifier: Apache-2.0
#include "core/json_io.hpp"

#include <gpuadapt/core/expectations.hpp>

#include <algorithm>
#include <numeric>

namespace gpuadapt {

namespace json {

// clang-format off
GPUADAPT_FIELDS(ExpectedCounts) {
    f("sockets", x.sockets); f("logical_cpus", x.logical_cpus); f("numa_nodes", x.numa_nodes); f("dimms", x.dimms);
    f("memory_bytes", x.memory_bytes); f("gpus", x.gpus); f("rdma_devices", x.rdma_devices);
} GPUADAPT_END

GPUADAPT_FIELDS(ExpectedGpu) {
    f("address", x.address); f("slot", x.slot); f("model", x.model); f("pcie_gt_s", x.pcie_gt_s);
    f("pcie_width", x.pcie_width); f("links", x.links); f("link_lanes", x.link_lanes);
} GPUADAPT_END

GPUADAPT_FIELDS(ExpectedPort) {
    f("device", x.device); f("port", x.port); f("link_layer", x.link_layer); f("rate_gbit_s", x.rate_gbit_s);
} GPUADAPT_END

GPUADAPT_FIELDS(ExpectedCollective) {
    f("collective", x.collective); f("ranks", x.ranks); f("latency_4k_us", x.latency_4k_us);
    f("busbw_1g_gb_s", x.busbw_1g_gb_s); f("tolerance", x.tolerance);
} GPUADAPT_END

GPUADAPT_FIELDS(Expectations) {
    f("model", x.model); f("counts", x.counts); f("gpus", x.gpus); f("rdma_ports", x.rdma_ports);
    f("links_off", x.links_off); f("collectives", x.collectives);
} GPUADAPT_END
// clang-format on

namespace {

constexpr const char* kVersionKey = "expect";
constexpr int kVersion = 1;

// Records pass over keys of newer programs; what a person types is held to the keys that there are. The values are only
// there for their types.
template <class T>
void refuse_unknown_keys(const Json& /*given*/, const T& /*type*/, const Place& /*place*/) {}

template <Described T>
void refuse_unknown_keys(const Json& given, const T& type, const Place& place);

template <Described T>
void refuse_unknown_keys(const Json& given, const std::vector<T>& /*type*/, const Place& place) {
    for (std::size_t i = 0; given.is_array() && i < given.size(); ++i)
        refuse_unknown_keys(given[i], T{}, place.in(std::to_string(i)));
}

template <Described T>
void refuse_unknown_keys(const Json& given, const T& type, const Place& place) {
    if (!given.is_object())
        return;
    for (const auto& [key, value] : given.items()) {
        bool known = key == kVersionKey && place.path.empty();
        Fields<T>::each(type, [&, &name = key, &part = value](const char* field, const auto& member) {
            if (name != field)
                return;
            known = true;
            refuse_unknown_keys(part, member, place.in(name));
        });
        if (!known)
            throw input_error(Message{fmt::format("{}: {}: there is no such key", place.file, place.in(key).path),
                                      fmt::format("{}：{}：没有这个键", place.file, place.in(key).path)});
    }
}

}  // namespace

}  // namespace json

namespace {

/// What both ends can do together.
template <class T>
std::optional<T> lesser(const std::optional<T>& end, const std::optional<T>& other) {
    return end && other ? std::optional(std::min(*end, *other)) : end;
}

const PciDevice* find_device(const Machine& machine, const std::string& address) {
    const auto found = std::find_if(machine.pci_devices.begin(), machine.pci_devices.end(),
                                    [&](const PciDevice& device) { return device.address == address; });
    return found == machine.pci_devices.end() ? nullptr : &*found;
}

ExpectedGpu draft_gpu(const Machine& machine, const Gpu& gpu) {
    ExpectedGpu expected;
    expected.address = gpu.address;
    expected.model = gpu.model;
    if (const PciDevice* device = find_device(machine, gpu.address)) {
        expected.slot = device->slot;
        const PciDevice* above = device->parent ? find_device(machine, *device->parent) : nullptr;
        const PciLink other = above != nullptr ? above->link : PciLink{};
        expected.pcie_gt_s = lesser(device->link.capable_gt_s, other.capable_gt_s);
        expected.pcie_width = lesser(device->link.capable_width, other.capable_width);
    }
    const auto up =
        std::count_if(gpu.links.begin(), gpu.links.end(), [](const GpuLink& link) { return link.state == "up"; });
    if (up > 0)
        expected.links = static_cast<int>(up);
    for (const GpuLink& link : gpu.links)
        if (link.lanes && link.lanes > expected.link_lanes)
            expected.link_lanes = link.lanes;
    return expected;
}

std::optional<int> size_of(std::size_t size) {
    return size > 0 ? std::optional(static_cast<int>(size)) : std::nullopt;
}

}  // namespace

Expectations draft_expectations(const Machine& machine) {
    Expectations draft;
    draft.model = machine.dmi.product_name;
    draft.counts.sockets = machine.cpu.sockets;
    draft.counts.logical_cpus = machine.cpu.logical_cpus;
    draft.counts.numa_nodes = size_of(machine.numa_nodes.size());
    draft.counts.dimms = size_of(machine.dimms.size());
    draft.counts.gpus = size_of(machine.gpus.size());
    draft.counts.rdma_devices = size_of(machine.rdma_devices.size());
    const bool all_sizes = std::all_of(machine.dimms.begin(), machine.dimms.end(),
                                       [](const Dimm& dimm) { return dimm.size_bytes.has_value(); });
    if (!machine.dimms.empty() && all_sizes)
        draft.counts.memory_bytes =
            std::accumulate(machine.dimms.begin(), machine.dimms.end(), std::int64_t{0},
                            [](std::int64_t sum, const Dimm& dimm) { return sum + dimm.size_bytes.value_or(0); });
    for (const Gpu& gpu : machine.gpus)
        if (!gpu.address.empty())
            draft.gpus.push_back(draft_gpu(machine, gpu));
    for (const RdmaDevice& device : machine.rdma_devices)
        for (const RdmaPort& port : device.ports) {
            if (port.state == "ACTIVE")
                draft.rdma_ports.push_back({device.name, port.number, port.link_layer, port.rate_gbit_s});
            else if (port.state)
                draft.links_off.push_back(fmt::format("{}/{}", device.name, port.number));
        }
    return draft;
}

std::string to_json(const Expectations& expectations) {
    json::Json object = json::Json::object();
    object[json::kVersionKey] = json::kVersion;
    object.update(json::write(expectations));
    return json::pretty(object);
}

Expectations read_expectations(std::string_view text, const std::string& name) {
    const json::Json object = json::parse(text, name);
    const json::Place place{name, ""};
    const auto version = object.is_object() ? object.find(json::kVersionKey) : object.end();
    if (version == object.end())
        throw input_error(Message{
            fmt::format("{}: no \"expect\": 1 at its head; `gpuadapt probe --write-expect FILE` drafts such a file",
                        name),
            fmt::format("{}：开头没有 \"expect\": 1；可用 gpuadapt probe --write-expect FILE 生成草稿", name)});
    if (*version != json::kVersion)
        throw input_error(Message{fmt::format("{}: /expect: this program knows version 1 only", name),
                                  fmt::format("{}：/expect：本程序只识别版本 1", name)});
    json::refuse_unknown_keys(object, Expectations{}, place);
    Expectations expectations;
    json::read(object, expectations, place);
    return expectations;
}

}  // namespace gpuadapt

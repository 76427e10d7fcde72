// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml.hpp"

namespace gpuadapt::nvml {

namespace {

/// MB/s (10^6) of a link in one direction; 0 and a refusal are no value.
std::optional<double> link_gbyte_s(const Api& api, Device device, Calls& calls, unsigned link) {
    for (const std::uint32_t field : {kFieldLinkSpeed, kFieldCommonLinkSpeed}) {
        FieldValue value{};
        value.field = field;
        value.scope = field == kFieldLinkSpeed ? link : 0;
        if (calls.succeeds(api.fields, device, 1, &value) && value.code == 0 && value.value.number != 0)
            return value.value.number / 1000.0;
    }
    return std::nullopt;
}

std::optional<std::string> remote_kind(std::optional<unsigned> kind) {
    switch (kind.value_or(255)) {  // nvmlIntNvLinkDeviceType_t
        case 0:
            return "gpu";
        case 1:
            return "cpu";
        case 2:
            return "switch";
        default:
            return std::nullopt;
    }
}

void read_errors(const Api& api, Device device, Calls& calls, GpuLink& link) {
    constexpr std::array kCounters = {"replay", "recovery", "crc_flit", "crc_data", "ecc_data"};
    for (unsigned counter = 0; counter < kCounters.size(); ++counter) {
        std::uint64_t count = 0;
        // Newer devices have some of them only; which, they say with different codes.
        const auto code = calls.code(api.link_errors, device, static_cast<unsigned>(link.index), counter, &count);
        if (code == 0U && count != 0)
            link.errors[kCounters[counter]] = static_cast<std::int64_t>(count);
    }
}

}  // namespace

void read_links(const Api& api, Device device, Calls& calls, Gpu& gpu) {
    for (unsigned index = 0; index < kMaxLinks; ++index) {
        unsigned active = 0;
        const auto code = calls.code(api.link_state, device, index, &active);
        if (!code || code == kInvalidArgument)
            return;  // behind the last one
        calls.note(api.link_state.symbol, *code);
        if (code != 0U)
            return;
        GpuLink link;
        link.index = static_cast<int>(index);
        link.state = active != 0 ? "up" : "down";
        if (active != 0) {
            link.gbyte_s = link_gbyte_s(api, device, calls, index);
            if (const auto remote = calls.get<PciInfo>(api.link_remote, device, index))
                link.remote = address_of(*remote);
            link.remote_kind = remote_kind(calls.get<unsigned>(api.link_remote_kind, device, index));
        }
        read_errors(api, device, calls, link);
        gpu.links.push_back(std::move(link));
    }
}

}  // namespace gpuadapt::nvml

// SPDX-License-Identifier: Apache-2.0
#include "driver/mxsml.hpp"

#include <fmt/format.h>

namespace gpuadapt::mxsml {

namespace {

constexpr unsigned kUp = 1;
constexpr unsigned kUnused = 5;

std::vector<LinkRate> link_rates(const Api& api, Id device, Calls& calls) {
    if (api.link_rates.call != nullptr)
        return array_of<LinkRate, kMaxLinks>(calls, api.link_rates, device);
    std::vector<LinkRate> rates;
    if (const auto old = calls.get<OldLinkRates>(api.old_link_rates, device))
        for (std::size_t i = 0; i < kMaxLinks; ++i)
            rates.push_back({old->gt_s[i], old->lanes[i]});
    return rates;
}

/// Why no link of the device is in use; nullopt when they are.
std::optional<std::string> switched_off(const Api& api, Id device, Calls& calls) {
    constexpr std::array kWords = {"enabled", "switched off", "off for SR-IOV", "off: number of GPUs",
                                   "training failed"};
    std::array<char, 128> words{};
    unsigned size = words.size();
    unsigned state = 0;
    if (!calls.succeeds(api.link_state, device, &state, words.data(), &size) || state == 0)
        return std::nullopt;
    return state < kWords.size() ? kWords[state] : fmt::format("state {}", state);
}

std::vector<unsigned> port_states(const Api& api, Id device, Calls& calls) {
    std::array<unsigned, kMaxLinks> states{};
    unsigned size = kMaxLinks;
    if (!calls.succeeds(api.port_states, device, states.data(), &size))
        return {};
    return {states.begin(), states.begin() + (size < kMaxLinks ? size : kMaxLinks)};
}

std::optional<std::string> state_of(std::optional<unsigned> port, const LinkRate& rate) {
    if (port == 0U)
        return "not trained";
    if (port && port != kUp && port != kUnused)
        return "down";
    if (port == kUp || (rate.gt_s > 0 && rate.lanes > 0))
        return "up";
    return std::nullopt;
}

}  // namespace

void read_links(const Api& api, Id device, Calls& calls, Gpu& gpu) {
    const std::vector<LinkRate> rates = link_rates(api, device, calls);
    const auto off = switched_off(api, device, calls);
    const auto ports = port_states(api, device, calls);
    const auto errors = array_of<LinkErrors, kMaxLinks>(calls, api.link_errors, device);
    for (unsigned index = 0; index < rates.size(); ++index) {
        GpuLink link;
        link.index = static_cast<int>(index);
        link.gt_s = static_cast<double>(rates[index].gt_s);
        link.lanes = static_cast<int>(rates[index].lanes);
        const std::optional<unsigned> port = index < ports.size() ? std::optional(ports[index]) : std::nullopt;
        link.state = off ? off : state_of(port, rates[index]);
        RemoteEnd remote{};
        // A link that is not wired has no other end; how the library says so is not documented, so it is no note.
        if (calls.code(api.link_remote, device, index, &remote) == 0U)
            link.remote = address_of(remote.address);
        if (link.remote)
            link.remote_kind = "gpu";
        if (index < errors.size() && errors[index].correctable > 0)
            link.errors["correctable"] = errors[index].correctable;
        if (index < errors.size() && errors[index].uncorrectable > 0)
            link.errors["uncorrectable"] = errors[index].uncorrectable;
        if (link.state || link.remote || *link.lanes > 0)
            gpu.links.push_back(std::move(link));
    }
}

}  // namespace gpuadapt::mxsml

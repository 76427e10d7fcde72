// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_links.hpp"

#include "ingest/scan.hpp"
#include "ingest/smi_tree.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace gpuadapt::ingest {

namespace {

constexpr std::int64_t kMostGpus = 1024;
constexpr std::int64_t kMostLinks = 64;  // NVML has room for 18

/// "GPU 3: NVIDIA H200 (UUID: GPU-...)"
std::optional<Gpu> gpu_headed(std::string_view line) {
    constexpr std::string_view kUuid = " (UUID: ";
    const std::size_t uuid = line.rfind(kUuid);
    if (!line.starts_with("GPU ") || uuid == std::string_view::npos || !line.ends_with(')'))
        return std::nullopt;
    const std::size_t colon = line.find(": ");
    const auto index = whole_number(line.substr(4, colon - 4), 0, kMostGpus - 1);
    if (colon >= uuid || !index)
        return std::nullopt;
    Gpu gpu;
    gpu.vendor = "nvidia";
    gpu.index = *index;
    gpu.model = clean_utf8(line.substr(colon + 2, uuid - colon - 2));
    const std::string_view id = line.substr(uuid + kUuid.size());
    gpu.uuid = clean_utf8(id.substr(0, id.size() - 1));
    return gpu;
}

struct Counter {
    std::string_view words, name;
};
/// As NVML names them; the tool's CRC errors are those of flits.
constexpr std::array<Counter, 3> kCounters = {
    {{"Replay Errors", "replay"}, {"Recovery Errors", "recovery"}, {"CRC Errors", "crc_flit"}}};

/// What stands behind "Link 3: "; false when it is none of the four.
bool take(std::string_view value, GpuLink& link) {
    constexpr std::string_view kInactive = "<inactive>";
    constexpr std::string_view kRate = " GB/s";
    if (value == kInactive) {
        link.state = "down";
        return true;
    }
    if (value.ends_with(kRate)) {
        const auto rate = scan_real(value);
        if (rate && *rate > 0) {
            link.state = "up";
            link.gbyte_s = rate;
        }
        return rate.has_value();
    }
    for (const Counter& counter : kCounters)
        if (const auto pair = key_and_value(value); pair && pair->first == counter.words) {
            const auto count = whole_number(pair->second, 0, INT32_MAX);
            if (count && *count > 0)
                link.errors[std::string(counter.name)] = *count;
            return count.has_value();
        }
    constexpr std::string_view kRemote = "Remote Device ";
    if (value.starts_with(kRemote))
        value = value.substr(kRemote.size(), value.find(": ") - kRemote.size());
    const auto address = pci_address_in(value);
    if (address)
        link.remote = address;
    // NVML's address of an NVSwitch that a virtual machine does not see; NCCL takes it for one too.
    if (address == "ffffffff:ff:ff.0")
        link.remote_kind = "switch";
    return address.has_value();
}

/// "Link 3: ..." below the header of its GPU.
void take_link(std::string_view line, Gpu& gpu) {
    constexpr std::string_view kLink = "Link ";
    const std::size_t colon = line.find(": ");
    if (!line.starts_with(kLink) || colon == std::string_view::npos)
        return;
    const auto index = whole_number(line.substr(kLink.size(), colon - kLink.size()), 0, kMostLinks - 1);
    if (!index)
        return;
    auto place =
        std::find_if(gpu.links.begin(), gpu.links.end(), [&](const GpuLink& it) { return it.index == *index; });
    GpuLink link = place == gpu.links.end() ? GpuLink{} : *place;
    link.index = *index;
    if (!take(line.substr(colon + 2), link))
        return;
    if (place == gpu.links.end())
        gpu.links.push_back(std::move(link));
    else
        *place = std::move(link);
}

}  // namespace

bool has_smi_list(std::string_view text) {
    if (text.find("(UUID: ") == std::string_view::npos)
        return false;
    const auto lines = text_lines(text);
    return std::any_of(lines.begin(), lines.end(), [](std::string_view line) { return gpu_headed(line).has_value(); });
}

std::vector<Gpu> read_smi_links(std::string_view text) {
    std::vector<Gpu> gpus;
    std::size_t current = 0;  // gpus.size() stands for none
    for (const std::string_view whole : text_lines(text)) {
        const std::string_view line = trim(whole);
        if (auto gpu = gpu_headed(line)) {
            // Outputs of several options stand in one file.
            const auto known =
                std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& it) { return it.uuid == gpu->uuid; });
            current = static_cast<std::size_t>(known - gpus.begin());
            if (known == gpus.end() && gpus.size() < kMostGpus)
                gpus.push_back(std::move(*gpu));
        } else if (current < gpus.size()) {
            take_link(line, gpus[current]);
        }
    }
    return gpus;
}

}  // namespace gpuadapt::ingest

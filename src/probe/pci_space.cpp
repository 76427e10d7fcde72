// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_space.hpp"

#include "probe/pci_registers.hpp"

#include <set>

namespace gpuadapt {

namespace {

constexpr std::size_t kExtendedStart = 0x100;
constexpr std::size_t kFour = 4;

}  // namespace

std::optional<std::uint32_t> PciSpace::dword(std::size_t at) {
    const auto low = word(at);
    const auto high = word(at + 2);
    if (!low || !high)
        return std::nullopt;
    return static_cast<std::uint32_t>(*high) << 16 | static_cast<std::uint32_t>(*low);
}

int PciSpace::readable() {
    // The last bytes tell whether the whole space is there.
    for (const std::size_t size : {kBytes, kConventionalBytes})
        if (four(size - kFour).size() == kFour)
            return static_cast<int>(size);
    std::size_t bytes = kHeaderBytes;
    while (bytes < kConventionalBytes && byte(bytes))
        ++bytes;
    return static_cast<int>(bytes);
}

void PciSpace::walk() {
    walk_capabilities();
    if (capability(kCapabilityExpress) && readable() == static_cast<int>(kBytes))
        walk_extended();
}

std::optional<bool> PciSpace::has_capability(int id) const {
    const bool found = capability(id).has_value();
    return found || complete_ ? std::optional(found) : std::nullopt;
}

std::optional<bool> PciSpace::has_extended(int id) const {
    const bool found = extended(id).has_value();
    // What is no PCI Express function has none.
    const bool conventional = complete_ && !capability(kCapabilityExpress);
    return found || extended_complete_ || conventional ? std::optional(found) : std::nullopt;
}

std::optional<std::size_t> PciSpace::find(const Places& places, int id) {
    const auto found = places.find(id);
    return found == places.end() ? std::nullopt : std::optional(found->second);
}

std::string PciSpace::fetch(std::size_t begin, std::size_t size) {
    std::string bytes = source_(begin, size).substr(0, size);
    for (std::size_t at = 0; at < size; at += kFour)
        fours_[begin + at] = at < bytes.size() ? bytes.substr(at, kFour) : "";
    return bytes;
}

const std::string& PciSpace::four(std::size_t begin) {
    const auto found = fours_.find(begin);
    if (found != fours_.end())
        return found->second;
    fetch(begin, kFour);
    return fours_[begin];
}

std::optional<int> PciSpace::number(std::size_t at, std::size_t size) {
    int value = 0;
    for (std::size_t i = size; i-- > 0;) {
        const auto next = one(at + i);
        if (!next)
            return std::nullopt;
        value = value << 8 | *next;
    }
    return value;
}

std::optional<int> PciSpace::one(std::size_t at) {
    if (at >= kBytes)
        return std::nullopt;
    const std::string& bytes = four(at / kFour * kFour);
    if (at % kFour >= bytes.size())
        return std::nullopt;
    return static_cast<unsigned char>(bytes[at % kFour]);
}

/// PCI 3.0, 6.7: a byte with the id, a byte with the offset of the next; 0 ends the list.
void PciSpace::walk_capabilities() {
    constexpr int kHasList = 0x10;  // status register
    const auto status = word(0x06);
    const int header_type = byte(0x0e).value_or(0) & 0x7f;
    if (!status)
        return;
    if ((*status & kHasList) == 0 || header_type > 2) {
        complete_ = true;
        return;
    }
    std::size_t pointer = header_type == 2 ? 0x14 : 0x34;
    std::set<std::size_t> seen;
    while (const auto next = byte(pointer)) {
        const auto offset = static_cast<std::size_t>(*next & 0xfc);
        if (offset == 0) {
            complete_ = true;
            return;
        }
        const auto id = offset < kHeaderBytes ? std::nullopt : byte(offset);
        if (offset >= kHeaderBytes && !id)
            return;  // cut
        if (!id || *id == 0xff || !seen.insert(offset).second) {
            damage_ = offset;
            return;
        }
        capabilities_.try_emplace(*id, offset);
        pointer = offset + 1;
    }
}

/// PCIe 7.6.3: id in bits 15:0, offset of the next in bits 31:20; a first header of 0 is an empty list.
void PciSpace::walk_extended() {
    std::set<std::size_t> seen;
    std::size_t offset = kExtendedStart;
    while (offset != 0) {
        const auto header = offset < kExtendedStart ? std::nullopt : dword(offset);
        const bool empty = header == 0U && offset != kExtendedStart;
        if (!header || empty || *header == 0xffffffff || !seen.insert(offset).second) {
            extended_damage_ = offset;
            return;
        }
        // A hypervisor hides the first capability by an id of 0, and leaves the way to the next one.
        if (const int id = static_cast<int>(*header & 0xffff); id != 0)
            extended_.try_emplace(id, offset);
        offset = *header >> 20 & 0xffc;
    }
    extended_complete_ = true;
}

}  // namespace gpuadapt

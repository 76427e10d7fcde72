// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_device.hpp"

#include <gpuadapt/core/text.hpp>

/// Vital Product Data, PCI 3.0 appendix I: resources with a tag and a length; the identifier string, then the read-only
/// fields, each of two letters, a length and that many bytes.
namespace gpuadapt {

namespace {

constexpr unsigned kIdentifier = 0x82;
constexpr unsigned kReadOnly = 0x90;
constexpr unsigned kLarge = 0x80;
constexpr unsigned kSmallEnd = 0x0f;

unsigned byte_of(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

/// The resource at the beginning of the bytes.
struct Resource {
    unsigned tag = 0;
    std::size_t header = 0, size = 0;
};

std::optional<Resource> first_resource(std::string_view bytes) {
    if (bytes.empty())
        return std::nullopt;
    const unsigned tag = byte_of(bytes, 0);
    if ((tag & kLarge) == 0)
        return Resource{tag >> 3, 1, tag & 7};
    if (bytes.size() < 3)
        return std::nullopt;
    return Resource{tag, 3, byte_of(bytes, 1) | std::size_t{byte_of(bytes, 2)} << 8};
}

std::optional<std::string> text_of(std::string_view bytes) {
    const std::string_view text = trim(bytes.substr(0, bytes.find('\0')));
    return text.empty() ? std::nullopt : std::optional(clean_utf8(text));
}

struct Keyword {
    std::string_view name;
    std::optional<std::string> PciVpd::*field;
};
constexpr Keyword kKeywords[] = {{"PN", &PciVpd::part_number}, {"SN", &PciVpd::serial}, {"EC", &PciVpd::change_level}};

void take_fields(std::string_view bytes, PciVpd& vpd) {
    while (bytes.size() >= 3) {
        const std::size_t size = byte_of(bytes, 2);
        if (size > bytes.size() - 3)
            return;
        for (const Keyword& keyword : kKeywords)
            if (bytes.substr(0, 2) == keyword.name && !(vpd.*keyword.field))
                vpd.*keyword.field = text_of(bytes.substr(3, size));
        bytes.remove_prefix(3 + size);
    }
}

}  // namespace

std::optional<PciVpd> parse_vpd(std::string_view bytes) {
    PciVpd vpd;
    while (const auto resource = first_resource(bytes)) {
        if (resource->tag == kSmallEnd || (resource->tag != kIdentifier && resource->tag != kReadOnly))
            break;
        const std::string_view body = bytes.substr(resource->header);
        const bool whole = resource->size <= body.size();
        if (resource->tag == kIdentifier && whole)
            vpd.product = text_of(body.substr(0, resource->size));
        if (resource->tag == kReadOnly)
            take_fields(body.substr(0, resource->size), vpd);
        if (!whole || resource->tag == kReadOnly)
            break;
        bytes = body.substr(resource->size);
    }
    return vpd == PciVpd{} ? std::nullopt : std::optional(std::move(vpd));
}

std::size_t vpd_bytes_needed(std::string_view bytes) {
    constexpr std::size_t kHeader = 3;
    std::size_t needed = 0;
    while (!bytes.empty()) {
        const auto resource = first_resource(bytes);
        if (!resource)
            return needed + kHeader;
        if (resource->tag != kIdentifier && resource->tag != kReadOnly)
            break;
        needed += resource->header + resource->size;
        if (resource->tag == kReadOnly)
            break;
        // The header of the next one is needed too.
        if (resource->header + resource->size >= bytes.size())
            return needed + kHeader;
        bytes.remove_prefix(resource->header + resource->size);
    }
    return needed;
}

}  // namespace gpuadapt

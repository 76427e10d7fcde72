// SPDX-License-Identifier: Apache-2.0
#include "ingest/lspci_names.hpp"

#include "ingest/lspci_tables.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kLongestClass = 64;

/// "0300"
std::optional<int> hex4(std::string_view text) {
    return text.size() == 4 ? hex_number(text) : std::nullopt;
}

/// "10de:2482" or "9999:4001"
bool take_pair(std::string_view text, std::optional<int>& vendor, std::optional<int>& device) {
    if (text.size() != 9 || text[4] != ':')
        return false;
    const auto first = hex4(text.substr(0, 4));
    const auto second = hex4(text.substr(5));
    if (!first || !second)
        return false;
    vendor = first;
    device = second;
    return true;
}

/// The text in a last pair of brackets: "[10de:2482]", taken off `text`.
std::string_view take_brackets(std::string_view& text) {
    text = trim(text);
    const std::size_t open = text.rfind('[');
    if (!text.ends_with(']') || open == kNone)
        return {};
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    text = trim(text.substr(0, open));
    return inside;
}

/// The class part of a header; the number is 24 bits.
bool take_class(std::string_view text, PciDevice& device) {
    text = trim(text);
    if (text.starts_with("Class ") && hex4(text.substr(6))) {  // a class that the list of names does not have
        device.class_code = *hex4(text.substr(6)) << 8;
        return true;
    }
    if (const auto number = hex4(text)) {
        device.class_code = *number << 8;
        return true;
    }
    std::string_view name = text;
    const std::string_view inside = take_brackets(name);
    if (const auto number = hex4(inside)) {
        device.class_code = *number << 8;
        if (!name.empty() && name != "Class")
            device.class_name = std::string(name);
        return true;
    }
    for (const LspciName& row : lspci_classes())
        if (same_letters(row.name, text)) {
            device.class_code = row.id << 8;
            device.class_name = std::string(row.name);
            return true;
        }
    return false;
}

/// The longest known name of a maker that `text` begins with.
const LspciName* find_vendor(std::string_view text) {
    const LspciName* found = nullptr;
    for (const LspciName& row : lspci_vendors())
        if (text.starts_with(row.name) && (text.size() == row.name.size() || text[row.name.size()] == ' ') &&
            (found == nullptr || found->name.size() < row.name.size()))
            found = &row;
    return found;
}

struct Named {
    std::optional<int> vendor_id, device_id;
    std::optional<std::string> vendor, device;
};

Named parse_name(std::string_view text) {
    Named named;
    std::string_view rest = text = trim(text);
    if (take_pair(text, named.vendor_id, named.device_id))
        return named;
    if (take_pair(take_brackets(rest), named.vendor_id, named.device_id))
        text = rest;
    // "Device 9999:4001": a maker that the list of names does not have.
    if (text.starts_with("Device ") && take_pair(text.substr(7), named.vendor_id, named.device_id))
        return named;
    // "Red Hat, Inc. Device [1af4:1041]" and "Unknown vendor [9999] Device [4001]" say no more than the numbers do.
    if (const LspciName* vendor = find_vendor(text)) {
        named.vendor = std::string(vendor->name);
        if (!named.vendor_id && vendor->id >= 0)
            named.vendor_id = vendor->id;
        text = trim(text.substr(vendor->name.size()));
    }
    if (text.starts_with("Device ") && hex4(text.substr(7))) {
        if (!named.device_id && named.vendor_id)
            named.device_id = hex4(text.substr(7));
        return named;
    }
    if (!text.empty() && text != "Device" && text.size() <= 200 && !text.starts_with("Illegal Vendor ID"))
        named.device = std::string(text);
    return named;
}

/// "(rev a1)" -> "a1"; the text before it stays in `text`.
std::string_view take_parenthesis(std::string_view& text, std::string_view start) {
    const std::size_t at = text.find(start);
    if (at == kNone)
        return {};
    const std::string_view rest = text.substr(at + start.size());
    text = text.substr(0, at);
    return rest.substr(0, rest.find(')'));
}

}  // namespace

bool take_lspci_header(std::string_view text, PciDevice& device) {
    // "Class 0604: ..." has no other colon before; numbers (-n) have "0604: 10de:2482".
    const std::size_t colon = text.substr(0, kLongestClass).find(": ");
    if (colon == kNone || !take_class(text.substr(0, colon), device))
        return false;
    std::string_view rest = trim(text.substr(colon + 2));
    const std::string_view interface = take_parenthesis(rest, " (prog-if ");
    const std::string_view revision = take_parenthesis(rest, " (rev ");
    if (const auto number = hex_number(revision.substr(0, 2)); number && revision.size() == 2)
        device.revision = number;
    if (const auto number = hex_number(interface.substr(0, 2)))
        device.class_code = *device.class_code | *number;
    take_lspci_name(rest, device);
    return true;
}

void take_lspci_name(std::string_view text, PciDevice& device) {
    Named named = parse_name(text);
    // An id of ffff is no id: nothing answered.
    if (named.vendor_id && *named.vendor_id != 0xffff) {
        device.vendor_id = named.vendor_id;
        device.device_id = named.device_id;
    }
    device.vendor_name = std::move(named.vendor);
    device.device_name = std::move(named.device);
}

void take_lspci_subsystem(std::string_view text, PciDevice& device) {
    const Named named = parse_name(text);
    if (!named.vendor_id || *named.vendor_id == 0 || *named.vendor_id == 0xffff)
        return;
    device.subsystem_vendor_id = named.vendor_id;
    device.subsystem_device_id = named.device_id;
}

bool lspci_revision_is_ff(std::string_view text) {
    return text.find(" (rev ff)") != kNone;
}

}  // namespace gpuadapt::ingest

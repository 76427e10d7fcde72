// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios_identities.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>

namespace gpuadapt {

namespace {

/// Where a structure keeps the number of such a string.
struct IdentityField {
    int type;
    std::size_t offset;
};

constexpr IdentityField kIdentityFields[] = {
    {1, 0x07},   // system: serial number
    {2, 0x07},   // board: serial number
    {2, 0x08},   // board: asset tag
    {3, 0x07},   // chassis: serial number
    {3, 0x08},   // chassis: asset tag
    {4, 0x20},   // processor: serial number
    {4, 0x21},   // processor: asset tag
    {17, 0x18},  // memory module: serial number
    {17, 0x19},  // memory module: asset tag
    {22, 0x07},  // battery: serial number
    {39, 0x08},  // power supply: serial number
    {39, 0x09},  // power supply: asset tag
};

constexpr int kOemStrings = 11;
constexpr int kConfigurationOptions = 12;
constexpr std::size_t kHeader = 4;

}  // namespace

std::vector<std::string> smbios_identities(std::string_view table) {
    std::vector<std::string> found;
    while (table.size() > kHeader) {
        const int type = static_cast<unsigned char>(table[0]);
        const std::size_t length = static_cast<unsigned char>(table[1]);
        if (length < kHeader || length > table.size())
            break;
        const std::string_view formatted = table.substr(0, length);
        // Of a last structure that is cut off, what is there counts all the same.
        const std::size_t end = std::min(table.find(std::string_view("\0\0", 2), length), table.size());
        std::vector<std::string_view> strings;
        for (std::string_view rest = table.substr(length, end - length); !rest.empty();) {
            const std::size_t zero = rest.find('\0');
            strings.push_back(rest.substr(0, zero));
            rest.remove_prefix(zero == std::string_view::npos ? rest.size() : zero + 1);
        }
        for (const IdentityField& field : kIdentityFields) {
            if (field.type != type || field.offset >= length)
                continue;
            const std::size_t number = static_cast<unsigned char>(formatted[field.offset]);
            if (number > 0 && number <= strings.size())
                found.emplace_back(trim(strings[number - 1]));
        }
        if (type == kOemStrings || type == kConfigurationOptions)
            for (const std::string_view text : strings)
                found.emplace_back(trim(text));
        table.remove_prefix(std::min(end + 2, table.size()));
    }
    return found;
}

}  // namespace gpuadapt

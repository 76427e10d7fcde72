// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt {

/// One structure: the formatted area and the strings behind it. Everything is read within its bounds.
class Structure {
  public:
    Structure(std::string_view formatted, std::string_view strings) : formatted_(formatted), strings_(strings) {}

    [[nodiscard]] std::optional<std::uint8_t> byte(std::size_t offset) const {
        if (offset >= formatted_.size())
            return std::nullopt;
        return static_cast<std::uint8_t>(formatted_[offset]);
    }
    [[nodiscard]] std::optional<std::uint32_t> word(std::size_t offset) const { return number(offset, 2); }
    [[nodiscard]] std::optional<std::uint32_t> dword(std::size_t offset) const { return number(offset, 4); }

    /// The string whose number is at `offset`; nullopt when there is none or it is empty.
    [[nodiscard]] std::optional<std::string> text(std::size_t offset) const {
        const auto index = byte(offset);
        if (!index || *index == 0)
            return std::nullopt;
        std::string_view rest = strings_;
        for (int skip = 1; skip < *index && !rest.empty(); ++skip)
            rest.remove_prefix(std::min(rest.size(), rest.find('\0') + 1));
        const std::string_view found = trim(rest.substr(0, rest.find('\0')));
        if (found.empty())
            return std::nullopt;
        return clean_utf8(found);
    }

    [[nodiscard]] std::string_view bytes(std::size_t offset, std::size_t size) const {
        return offset + size <= formatted_.size() ? formatted_.substr(offset, size) : std::string_view();
    }

  private:
    [[nodiscard]] std::optional<std::uint32_t> number(std::size_t offset, std::size_t size) const {
        if (offset + size > formatted_.size())
            return std::nullopt;
        std::uint32_t value = 0;
        for (std::size_t i = size; i-- > 0;)
            value = value << 8 | static_cast<std::uint8_t>(formatted_[offset + i]);
        return value;
    }

    std::string_view formatted_, strings_;
};

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuadapt::test {

/// A configuration space to write registers into.
class ConfigSpace {
  public:
    explicit ConfigSpace(std::size_t size = 4096) : bytes_(size, '\0') {
        word(0x00, 0x10de);
        word(0x02, 0x2330);
        word(0x06, 0x0010);
        dword(0x08, 0x030200a1);
        byte(0x34, 0x60);
        byte(0x60, 0x01);  // power management, then PCI Express
        byte(0x61, 0x80);
        byte(0x80, 0x10);
    }
    ConfigSpace& byte(std::size_t at, unsigned value) { return put(at, value, 1); }
    ConfigSpace& word(std::size_t at, unsigned value) { return put(at, value, 2); }
    ConfigSpace& dword(std::size_t at, std::uint32_t value) { return put(at, value, 4); }

    /// The PCI Express capability at 0x80.
    ConfigSpace& express(unsigned type, unsigned version = 2) { return word(0x82, type << 4 | version); }
    ConfigSpace& link(unsigned capable_speed, unsigned capable_width, unsigned speed, unsigned width, unsigned target) {
        dword(0x8c, capable_speed | capable_width << 4);
        word(0x92, speed | width << 4);
        return word(0xb0, target);
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    ConfigSpace& put(std::size_t at, std::uint32_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            bytes_.at(at + i) = static_cast<char>(value >> (8 * i));
        return *this;
    }
    std::string bytes_;
};

}  // namespace gpuadapt::test

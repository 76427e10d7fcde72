// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// UTF-16 (RFC 2781), in which a Windows PowerShell writes what is redirected with '>'.
namespace gpuadapt::ingest {

/// How many bytes of a text are enough for utf16_form().
inline constexpr std::size_t kUtf16Sample = 4096;

struct Utf16Form {
    bool big_endian = false;
    std::size_t mark = 0;  ///< bytes of the byte order mark: 2, or 0 where there is none
};

/// nullopt for a text in another form. Without a byte order mark the zero bytes tell: in what tools print, most of
/// the places of one parity hold one.
[[nodiscard]] std::optional<Utf16Form> utf16_form(std::string_view start);

/// Makes UTF-8 of it piece by piece; the pieces need not end at a character. What is no character becomes U+FFFD.
class Utf16Decoder {
  public:
    explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}
    void decode(std::string_view bytes, std::string& text);

  private:
    void take_unit(std::uint32_t unit, std::string& text);

    bool big_endian_;
    std::optional<unsigned char> first_;  ///< of two bytes
    std::uint32_t high_ = 0;              ///< a surrogate that waits for its second half; 0: none
};

/// `code` as UTF-8.
void append_utf8(std::uint32_t code, std::string& text);

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace gpuadapt::test {

/// A tar header in the ustar form, with contents.
inline std::string tar_member(const std::string& name, char type, const std::string& contents,
                              const std::string& target = "", std::size_t claimed = std::string::npos) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t offset, const std::string& text) { header.replace(offset, text.size(), text); };
    const auto octal = [](std::size_t value, std::size_t digits) {
        std::string text;
        for (; text.size() < digits; value /= 8)
            text.insert(text.begin(), static_cast<char>('0' + value % 8));
        return text;
    };
    put(0, name.substr(0, 100));
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, octal(claimed == std::string::npos ? contents.size() : claimed, 11));
    put(136, "00000000000");
    put(148, "        ");
    header[156] = type;
    put(157, target);
    put(257, std::string("ustar\0"
                         "00",
                         8));
    std::size_t sum = 0;
    for (const char c : header)
        sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + std::string("\0 ", 2));
    return header + contents + std::string((512 - contents.size() % 512) % 512, '\0');
}

/// The end of an archive.
inline std::string tar_end() {
    return std::string(1024, '\0');
}

}  // namespace gpuadapt::test

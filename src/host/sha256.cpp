// SPDX-License-Identifier: Apache-2.0
#include "host/fd.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/sha256.hpp>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <nettle/sha2.h>

namespace gpuadapt {

namespace {

std::string finish(sha256_ctx& context) {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
    sha256_digest(&context, digest.size(), digest.data());
    std::string hex;
    for (const std::uint8_t byte : digest)
        hex += fmt::format("{:02x}", byte);
    return hex;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    return finish(context);
}

std::string sha256_file(const std::string& path) {
    const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid())
        throw input_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
    sha256_ctx context;
    sha256_init(&context);
    std::vector<std::uint8_t> buffer(std::size_t{1} << 16);
    while (true) {
        const ssize_t got = read_some(fd, buffer.data(), buffer.size());
        if (got < 0)
            throw input_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
        if (got == 0)
            return finish(context);
        sha256_update(&context, static_cast<std::size_t>(got), buffer.data());
    }
}

}  // namespace gpuadapt

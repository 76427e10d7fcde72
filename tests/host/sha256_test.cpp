// SPDX-License-Identifier: Apache-2.0
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/sha256.hpp>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

// The examples of FIPS 180-4 (one block, two blocks, a million times 'a').
TEST(Sha256, KnownValues) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFile) {
    const test::TempFolder folder;
    EXPECT_EQ(sha256_file(folder.write("f", std::string(1000000, 'a'))), sha256_hex(std::string(1000000, 'a')));
    EXPECT_THROW(static_cast<void>(sha256_file(folder.path("none"))), Error);
}

}  // namespace
}  // namespace gpuadapt

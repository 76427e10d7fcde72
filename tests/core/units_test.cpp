// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(Units, SizesAsNcclTestsTakesThem) {
    EXPECT_EQ(parse_size("8"), 8);
    EXPECT_EQ(parse_size("1K"), 1024);
    EXPECT_EQ(parse_size("1k"), 1024);
    EXPECT_EQ(parse_size("2g"), 2147483648);
    EXPECT_EQ(parse_size("64MiB"), 67108864);
    EXPECT_EQ(parse_size("3T"), 3298534883328);
    EXPECT_EQ(parse_size("0"), 0);
    for (const char* wrong : {"", "K", "-1", "1.5M", "1KK", "1Q", " 1", "1 K", "9223372036854775807K", "1iB", "0x10"})
        EXPECT_EQ(parse_size(wrong), std::nullopt) << wrong;
}

TEST(Units, FormatsComeBack) {
    EXPECT_EQ(format_size(1536), "1536");
    EXPECT_EQ(format_size(1048576), "1M");
    EXPECT_EQ(format_size(0), "0");
    for (const std::int64_t bytes : {1LL, 1024LL, 3072LL, 2147483648LL, 1LL << 50})
        EXPECT_EQ(parse_size(format_size(bytes)), bytes);
    EXPECT_EQ(format_size_rounded(1023), "1023");
    EXPECT_EQ(format_size_rounded(2147483648), "2G");
    EXPECT_EQ(format_bytes(16777216000), "15.6 GiB");
    EXPECT_EQ(format_bytes(512), "512 B");
    EXPECT_EQ(format_duration(0.84), "0.8 s");
    EXPECT_EQ(format_duration(245), "4 min 05 s");
    EXPECT_EQ(format_duration(7800), "2 h 10 min");
}

TEST(Units, NumbersMustBeWhole) {
    EXPECT_EQ(parse_integer("-7"), -7);
    EXPECT_EQ(parse_integer("7x"), std::nullopt);
    EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
    EXPECT_DOUBLE_EQ(parse_real("2.5").value_or(0), 2.5);
    EXPECT_EQ(parse_real("2,5"), std::nullopt);
    EXPECT_EQ(parse_real(""), std::nullopt);
}

TEST(Text, WidthCountsTerminalColumns) {
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("环境信息"), 8U);
    EXPECT_EQ(display_width("e\xCC\x81"), 1U);
    EXPECT_EQ(display_width("\xFF\xFE"), 2U);
    EXPECT_EQ(pad("网卡", 6), "网卡  ");
    EXPECT_EQ(pad("7", 3, false), "  7");
    EXPECT_EQ(pad("long", 2), "long");
}

TEST(Text, DamagedBytesAreReplaced) {
    EXPECT_TRUE(is_utf8("沐曦 C500"));
    EXPECT_FALSE(is_utf8("\xC0\xAF"));      // overlong
    EXPECT_FALSE(is_utf8("\xED\xA0\x80"));  // surrogate
    EXPECT_FALSE(is_utf8("\xE6\xB2"));      // cut off
    EXPECT_EQ(clean_utf8("a\x1b[1m\x07z"), "a [1m z");
    EXPECT_EQ(clean_utf8("a\xC2\x9B"
                         "31mz\xC2\xA0"),
              "a 31mz\xC2\xA0");  // C1 has an escape of its own
    EXPECT_EQ(clean_utf8("x\xFFy"), "x\xEF\xBF\xBDy");
    // U+FFFE and U+FFFF are well-formed, but XML has no place for them; their neighbour U+FFFD and U+10000 are fine.
    EXPECT_EQ(clean_utf8("x\xEF\xBF\xBEy\xEF\xBF\xBFz"), "x\xEF\xBF\xBDy\xEF\xBF\xBDz");
    EXPECT_EQ(clean_utf8("\xEF\xBF\xBD\xF0\x90\x80\x80"), "\xEF\xBF\xBD\xF0\x90\x80\x80");
    EXPECT_EQ(trim(" \t a b \n"), "a b");
    EXPECT_EQ(trim(" \n"), "");
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/driver/library.hpp>

#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

std::string error_of(const std::function<void()>& step) {
    try {
        step();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::tool);
        return error.what();
    }
    return {};
}

TEST(Library, TellsWhatItLoaded) {
    const Library library("libm.so.6");
    EXPECT_EQ(library.name(), "libm.so.6");
    EXPECT_EQ(library.path().front(), '/');
    EXPECT_NE(library.path().find("libm.so.6"), std::string::npos);
    EXPECT_NE(library.find("cos"), nullptr);
    EXPECT_EQ(library.find("no_such_symbol"), nullptr);
    EXPECT_EQ(library.require("cos"), library.find("cos"));
}

TEST(Library, ErrorsNameLibraryAndSymbol) {
    const std::string missing = error_of([] { const Library library("/nowhere/libnothing.so.1"); });
    EXPECT_NE(missing.find("/nowhere/libnothing.so.1"), std::string::npos);
    EXPECT_NE(missing.find("No such file"), std::string::npos);
    const std::string symbol = error_of([] { (void)Library("libm.so.6").require("no_such_symbol"); });
    EXPECT_NE(symbol.find("libm.so.6"), std::string::npos);
    EXPECT_NE(symbol.find("no_such_symbol"), std::string::npos);
}

TEST(Library, OpensTheFirstThatCanBeOpened) {
    EXPECT_EQ(Library::open_first({"libnothing.so.1", "libm.so.6", "libc.so.6"}).name(), "libm.so.6");
    const std::string none = error_of([] { (void)Library::open_first({"liba-nothing.so", "libb-nothing.so"}); });
    EXPECT_NE(none.find("liba-nothing.so"), std::string::npos);
    EXPECT_NE(none.find("libb-nothing.so"), std::string::npos);
    EXPECT_NE(error_of([] { (void)Library::open_first({}); }), "");
}

TEST(Library, IsLoadedOnce) {
    unsetenv("GPUADAPT_FAKE_LOADS");
    const Library library = Library::open_first({"libnothing.so.1", GPUADAPT_FAKE_COUNTING});
    EXPECT_STREQ(getenv("GPUADAPT_FAKE_LOADS"), "1");
}

TEST(Library, MovesLeaveNothingBehind) {
    Library first("libm.so.6");
    Library second = std::move(first);
    EXPECT_NE(second.find("cos"), nullptr);
    second = Library("libc.so.6");
    EXPECT_NE(second.find("strlen"), nullptr);
    second.keep_loaded();
}

TEST(Library, AFileThatIsNoLibraryIsAnError) {
    EXPECT_NE(error_of([] { const Library library("/etc/passwd"); }).find("/etc/passwd"), std::string::npos);
}

}  // namespace
}  // namespace gpuadapt

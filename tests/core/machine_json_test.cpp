// SPDX-License-Identifier: Apache-2.0
// Every member of every type of a Machine goes through JSON and comes back: filled over the member lists, so that a new
// member is tested the moment it is listed.
#include "core/json_io.hpp"

#include <gpuadapt/core/record.hpp>

#include <string>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

/// Gives each member a value of its own.
struct Filler {
    int count = 0;

    void fill(std::string& value) { value = "text " + std::to_string(++count); }
    void fill(bool& value) { value = true; }
    void fill(int& value) { value = ++count; }
    void fill(std::int64_t& value) { value = (std::int64_t{1} << 40) + ++count; }
    void fill(double& value) { value = ++count + 0.5; }
    template <class T>
    void fill(std::optional<T>& value) {
        fill(value.emplace());
    }
    template <class T>
    void fill(std::vector<T>& values) {
        values.resize(2);
        for (T& value : values)
            fill(value);
    }
    template <class T>
    void fill(std::map<std::string, T>& values) {
        fill(values["key " + std::to_string(++count)]);
    }
    template <json::Described T>
    void fill(T& value) {
        json::Fields<T>::each(value, [this](const char*, auto& member) { this->fill(member); });
    }
};

TEST(MachineJson, EveryMemberComesBack) {
    Machine machine;
    Filler().fill(machine);
    const json::Json written = json::write(machine);
    Machine read;
    json::read(json::parse(json::pretty(written), "m.json"), read, {"m.json", ""});
    EXPECT_EQ(read, machine);
    EXPECT_EQ(json::write(read), written);
}

TEST(MachineJson, AFileOfKeysAloneDoesNotHoldUs) {
    std::string text = "{";
    for (int i = 0; i < 3000; ++i)
        text += "\"key " + std::to_string(i) + "\": 1, ";
    text += "\"last\": 1}";
    try {
        static_cast<void>(json::parse(text, "m.json"));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "m.json: an object with more than 2000 keys");
    }
}

TEST(MachineJson, AnEmptyMachineIsReadAsOne) {
    Machine read;
    json::read(json::parse("{}", "m.json"), read, {"m.json", ""});
    EXPECT_EQ(read, Machine{});
}

TEST(MachineJson, AMapOfTheWrongTypeNamesItsPlace) {
    Machine read;
    try {
        json::read(json::parse(R"({"versions": {"CUDA": {"version": 13}}})", "m.json"), read, {"m.json", ""});
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "m.json: /versions/CUDA/version: a string expected");
    }
}

}  // namespace
}  // namespace gpuadapt

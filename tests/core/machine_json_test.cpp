// SPDX-License-Identifier: Apache-2.0
// Every member of every type of a Machine goes through JSON and comes back: filled over the member lists, so that a new
// member is tested the moment it is listed.
#include "core/json_io.hpp"

#include <gpuadapt/core/differences.hpp>
#include <gpuadapt/core/record.hpp>

#include <chrono>
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

TEST(MachineJson, ManyCountersComeBack) {
    Machine machine;
    machine.interfaces.emplace_back().name = "ens1";
    for (int i = 0; i < 5000; ++i)
        machine.interfaces[0].counters.emplace("rx" + std::to_string(i) + "_packets", i);
    EXPECT_EQ(read_machine(to_json(machine), "m.json"), machine);
    EXPECT_TRUE(differences(machine, read_machine(to_json(machine), "m.json")).empty());
}

TEST(MachineJson, AFileOfManyPartsDoesNotHoldUs) {
    std::string keys = "{";
    std::string objects = "[";
    for (int i = 0; i < 100000; ++i) {
        keys += "\"key " + std::to_string(i) + "\": 1, ";
        objects += "{}, ";
    }
    const auto start = std::chrono::steady_clock::now();
    const json::Json object = json::parse(keys + "\"key 7\": 2}", "m.json");
    EXPECT_EQ(object.size(), 100000U);
    EXPECT_EQ(object.find("key 99999").value(), 1);
    EXPECT_EQ(object.find("key 7").value(), 2);
    EXPECT_EQ(object.begin().key(), "key 0");
    json::Json rest = object;
    rest.erase(rest.begin());
    EXPECT_EQ(rest.begin().key(), "key 1");
    EXPECT_EQ(rest.find("key 99999").value(), 1);
    EXPECT_EQ(rest.size(), 99999U);
    EXPECT_EQ(json::parse(objects + "{}]", "m.json").size(), 100001U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << "hours, when all are looked at";
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

// SPDX-License-Identifier: Apache-2.0
#include "machines/support/recordings.hpp"

#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

/// What of a machine cannot be read becomes unknown, never another value: each recorded machine is probed again with
/// files missing, denied or hanging and with configuration spaces cut, and compared with what was found on the whole.
namespace gpuadapt {
namespace {

using Json = nlohmann::json;

struct Reading {
    Json facts;
    std::vector<Unread> unread;
};

Reading read(const Answers& answers) {
    MemoryRoot root(answers);
    Machine machine = probe_machine(root);
    Reading reading{{}, machine.unread};
    machine.unread.clear();
    machine.sources.clear();  // a second source may stand in
    reading.facts = Json::parse(to_json(machine));
    return reading;
}

/// A second source that words it differently: without the file, the field at this place may have another value.
struct Fallback {
    std::string_view file, field, why;
};

constexpr Fallback kFallbacks[] = {
    {"/sys/firmware/dmi/tables/DMI", "/cpu/model", "an Arm processor is known by the design of its cores"},
    {"/proc/cpuinfo", "/cpu/model", "the firmware's name of the processor has other blanks and marks"},
    {"/available_clocksource", "/os/hypervisor", "the processor says that there is one, the clock which"},
    {"/config", "/config_bytes", "less of the space is readable"},
};

bool is_fallback(const std::string& file, const std::string& field) {
    return std::any_of(std::begin(kFallbacks), std::end(kFallbacks),
                       [&](const Fallback& row) { return file.ends_with(row.file) && field.ends_with(row.field); });
}

bool is_unknown(const Json& value) {
    return value.is_null() || ((value.is_object() || value.is_array()) && value.empty());
}

/// Lists in a string, such as "-,0,0,1", have a '-' where nothing was seen.
bool is_poorer_list(const std::string& poorer, const std::string& whole) {
    std::istringstream one(poorer), other(whole);
    std::string a, b;
    while (std::getline(one, a, ','))
        if (!std::getline(other, b, ',') || (a != b && a != "-"))
            return false;
    return !std::getline(other, b, ',');
}

/// The first place where `poorer` says something that `whole` does not; empty when there is none.
std::string first_invention(const Json& poorer, const Json& whole, const std::string& file, const std::string& at) {
    if (is_unknown(poorer) || poorer == whole || is_fallback(file, at))
        return "";
    if (poorer.type() != whole.type())
        return at + ": " + poorer.dump() + " instead of " + whole.dump();
    if (poorer.is_object()) {
        for (const auto& [key, value] : poorer.items()) {
            std::string found = first_invention(value, whole.value(key, Json()), file, fmt::format("{}/{}", at, key));
            if (!found.empty())
                return found;
        }
        return "";
    }
    if (poorer.is_string() && is_poorer_list(poorer.get<std::string>(), whole.get<std::string>()))
        return "";
    if (!poorer.is_array())
        return at + ": " + poorer.dump() + " instead of " + whole.dump();
    // Elements have no number of their own: each must be one of the whole, in the same order.
    std::size_t next = 0;
    for (const Json& element : poorer) {
        std::string found = at + ": one more element: " + element.dump().substr(0, 200);
        while (next < whole.size() && !found.empty())
            found = first_invention(element, whole[next++], file, at);
        if (!found.empty())
            return found;
    }
    return "";
}

/// Files that differ by numbers only, such as those of each processor or each PCI function.
std::string kind_of(const std::string& path) {
    static const std::regex address("[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");
    static const std::regex number("[0-9]+");
    return std::regex_replace(std::regex_replace(path, address, "X"), number, "N");
}

class Mutate : public testing::TestWithParam<std::string> {
  protected:
    const Answers answers_ = read_recording(test::recording_of(test::machine_folder(GetParam())));
    const Reading whole_ = read(answers_);

    Reading expect_no_invention(const Answers& mutant, const std::string& file, const std::string& what) const {
        Reading poorer = read(mutant);
        EXPECT_EQ(first_invention(poorer.facts, whole_.facts, file, ""), "") << what;
        for (const Unread& entry : poorer.unread)
            EXPECT_FALSE(entry.path.starts_with("probe ")) << what << ": " << entry.path << ": " << entry.reason;
        return poorer;
    }

    [[nodiscard]] std::map<std::string, std::vector<std::string>> kinds() const {
        std::map<std::string, std::vector<std::string>> kinds;
        for (const auto& [path, answer] : answers_.files)
            if (answer.status == AnswerStatus::ok)
                kinds[kind_of(path)].push_back(path);
        return kinds;
    }
};

TEST_P(Mutate, CutConfigurationSpaces) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{64}, std::size_t{256}}) {
        Answers mutant = answers_;
        for (auto& [path, answer] : mutant.files)
            if (path.ends_with("/config"))
                answer.text = answer.text.substr(0, size);
        static_cast<void>(expect_no_invention(mutant, "/config", "all cut to " + std::to_string(size)));
    }
}

TEST_P(Mutate, UnreadableFiles) {
    const TextAnswer denied{AnswerStatus::denied, "", "permission denied"};
    const TextAnswer hanging{AnswerStatus::timed_out, "", "no answer after 5000 ms"};
    for (const auto& [kind, paths] : kinds())
        for (const TextAnswer& status : {denied, hanging}) {
            Answers mutant = answers_;
            for (const std::string& path : paths)
                mutant.files[path] = status;
            const Reading poorer = expect_no_invention(mutant, paths.front(), kind + ": " + status.reason);
            const bool named = std::any_of(poorer.unread.begin(), poorer.unread.end(), [&](const Unread& entry) {
                return entry.reason.find(status.reason) != std::string::npos;
            });
            EXPECT_TRUE(named || poorer.facts == whole_.facts) << kind << " makes facts unknown without a word";
        }
}

TEST_P(Mutate, MissingFiles) {
    for (const auto& [kind, paths] : kinds()) {
        // Where one of many is missing, the others must not speak for it.
        std::vector<std::vector<std::string>> choices = {paths};
        if (paths.size() > 1)
            choices.push_back({paths.front()});
        for (const auto& choice : choices) {
            Answers mutant = answers_;
            for (const std::string& path : choice)
                mutant.files.erase(path);
            static_cast<void>(expect_no_invention(mutant, choice.front(), choice.front() + " is missing"));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, Mutate, testing::ValuesIn(test::machine_names()), test::name_of_machine);

/// The comparison itself must be able to fail.
TEST(MutateComparison, NoticesInventions) {
    const auto found = [](const char* poorer, const char* whole) {
        return first_invention(Json::parse(poorer), Json::parse(whole), "/some/file", "");
    };
    EXPECT_EQ(found(R"({"a": null, "b": 1})", R"({"a": 1, "b": 1})"), "");
    EXPECT_EQ(found(R"([{"n": 2}])", R"([{"n": 1}, {"n": 2, "x": 3}])"), "");
    EXPECT_EQ(found(R"({"a": "-,1"})", R"({"a": "0,1"})"), "");
    EXPECT_NE(found(R"({"a": "1"})", R"({"a": "0,1"})"), "");
    EXPECT_NE(found(R"({"a": "0,1"})", R"({"a": "-,1"})"), "");
    EXPECT_NE(found(R"({"a": 2})", R"({"a": 1})"), "");
    EXPECT_NE(found(R"({"a": false})", R"({"a": null})"), "");
    EXPECT_NE(found(R"({"a": 1})", R"({})"), "");
    EXPECT_NE(found(R"([{"n": 1}, {"n": 1}])", R"([{"n": 1}])"), "");
    EXPECT_NE(found(R"({"l": [{"n": 3}]})", R"({"l": [{"n": 1}, {"n": 2}]})"), "");
}

}  // namespace
}  // namespace gpuadapt

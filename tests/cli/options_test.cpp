// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"
#include "cli/parse_errors.hpp"
#include "cli/perf_options.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

PerfOptions with(void (*change)(PerfOptions&)) {
    PerfOptions options;
    change(options);
    return options;
}

std::string error_of(const PerfOptions& options) {
    try {
        static_cast<void>(make_plan(options));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_FALSE(error.message().zh.empty());
        return error.what();
    }
    return "no error";
}

TEST(PerfOptions, DefaultsAreTheGuides) {
    const SweepPlan plan = make_plan(PerfOptions{});
    EXPECT_EQ(plan.collectives.size(), 9U);
    EXPECT_EQ(plan.min_bytes, 1024);
    EXPECT_EQ(plan.max_bytes, std::int64_t{2} << 30);
    EXPECT_EQ(plan.step_factor, 2);
    EXPECT_EQ(plan.iterations, 100);
    EXPECT_EQ(plan.types, std::vector{DataType::bfloat16});
    EXPECT_TRUE(plan.counts.empty());
}

TEST(PerfOptions, ListsKeepTheirOrderAndCountOnce) {
    const SweepPlan plan = make_plan(with([](PerfOptions& o) {
        o.gpus = "8,4,8";
        o.ops = "sendrecv,all_reduce_perf";
        o.types = "all";
        o.redops = "all";
    }));
    EXPECT_EQ(plan.counts, (std::vector{8, 4}));
    EXPECT_EQ(plan.collectives, (std::vector{CollectiveKind::sendrecv, CollectiveKind::all_reduce}));
    EXPECT_EQ(plan.types.size(), 10U);
    EXPECT_EQ(plan.ops.size(), 5U);
}

TEST(PerfOptions, AdditiveSteps) {
    const SweepPlan plan = make_plan(with([](PerfOptions& o) { o.step_bytes = "4K"; }));
    EXPECT_EQ(plan.step_factor, 1);
    EXPECT_EQ(plan.step_bytes, 4096);
}

TEST(PerfOptions, WrongValuesNameTheOptionAndWhatItTakes) {
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.gpus = "2,x"; })),
                AllOf(HasSubstr("--gpus x"), HasSubstr("4,8,16")));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.gpus = "0"; })), HasSubstr("--gpus 0"));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.gpus = "2,"; })), HasSubstr("--gpus (empty)"));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.ops = "all_redcue"; })),
                AllOf(HasSubstr("--ops"), HasSubstr("all_reduce")));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.min_bytes = "1.5K"; })), HasSubstr("-b 1.5K"));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.max_bytes = "9999999999G"; })), HasSubstr("-e"));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.types = "fp7"; })),
                AllOf(HasSubstr("-d fp7"), HasSubstr("bfloat16")));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.redops = "mul"; })), HasSubstr("-o mul"));
    EXPECT_THAT(error_of(with([](PerfOptions& o) { o.step_factor = "1"; })), HasSubstr("-f 1"));
}

TEST(PerfOptions, WhatTheyTakeIsSaidInTheUsersLanguage) {
    for (void (*const change)(PerfOptions&) :
         {+[](PerfOptions& o) { o.gpus = "x"; }, +[](PerfOptions& o) { o.max_bytes = "x"; },
          +[](PerfOptions& o) { o.types = "x"; }, +[](PerfOptions& o) { o.step_factor = "x"; }}) {
        try {
            static_cast<void>(make_plan(with(change)));
            ADD_FAILURE();
        } catch (const Error& error) {
            const std::string& zh = error.message().zh;
            EXPECT_EQ(zh.find(" such as "), std::string::npos) << zh;
            EXPECT_EQ(zh.find(" names of"), std::string::npos) << zh;
            EXPECT_EQ(zh.find(" from "), std::string::npos) << zh;
        }
    }
}

TEST(PerfOptions, APlanThatMeasuresNothingIsRefused) {
    const auto refusal = [](const char* ops, const char* largest) {
        PerfOptions options;
        options.gpus = "2";
        options.ops = ops;
        options.min_bytes = "1";
        options.max_bytes = largest;
        try {
            require_points(make_plan(options));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(refusal("all_reduce", "1"), AllOf(HasSubstr("-e 1: "), HasSubstr("bfloat16 (2 B)")));
    EXPECT_EQ(refusal("all_reduce", "2"), "");
    EXPECT_THAT(refusal("all_gather", "16"), HasSubstr("16 bytes a rank"));
    EXPECT_EQ(refusal("all_gather,all_reduce", "16"), "") << "one of them has a size";
}

TEST(Commands, HaveTextsInBothLanguagesAndAnExample) {
    for (const Command& command : commands()) {
        for (const Text& text : {command.summary, command.details}) {
            EXPECT_FALSE(text.en.empty()) << command.name;
            EXPECT_FALSE(text.zh.empty()) << command.name;
        }
        EXPECT_THAT(std::string(command.example), HasSubstr(std::string("gpuadapt ") + std::string(command.name)));
    }
}

TEST(Commands, EveryOptionIsDescribedInBothLanguages) {
    for (const Command& command : commands()) {
        CLI::App english, chinese;
        const Action keep_english = command.define(english, Lang::en);
        const Action keep_chinese = command.define(chinese, Lang::zh);
        ASSERT_EQ(english.get_options().size(), chinese.get_options().size());
        for (std::size_t i = 0; i < english.get_options().size(); ++i) {
            const CLI::Option& option = *english.get_options()[i];
            if (option.get_name() == "--help")
                continue;
            EXPECT_FALSE(option.get_description().empty()) << command.name << " " << option.get_name();
            EXPECT_NE(option.get_description(), chinese.get_options()[i]->get_description()) << option.get_name();
        }
    }
}

TEST(Help, FitsIntoEightyColumnsInBothLanguages) {
    for (const Command& command : commands()) {
        for (const Lang lang : {Lang::en, Lang::zh}) {
            CLI::App app;
            const Action keep = command.define(app, lang);
            const std::string help = help_text(app, &command, lang);
            std::istringstream lines(help);
            std::string example(command.example);
            for (std::string line; std::getline(lines, line);)
                if (example.find(trim(line)) == std::string::npos) {
                    EXPECT_LE(display_width(line), 80U) << line;
                }
            EXPECT_THAT(help, HasSubstr(example.substr(0, example.find('\n'))));
        }
    }
}

TEST(Help, NamesWhatWasMeant) {
    EXPECT_EQ(closest("prob", {"probe", "perf", "report"}), "probe");
    EXPECT_EQ(closest("--gpu", {"--gpus", "--ops"}), "--gpus");
    EXPECT_EQ(closest("zzz", {"probe", "perf"}), std::nullopt);
}

TEST(ExitStatuses, AreFixed) {
    EXPECT_EQ(kExitOk, 0);
    EXPECT_EQ(kExitFailure, 1);
    EXPECT_EQ(kExitUsage, 2);
    EXPECT_EQ(kExitUnknown, 3);
    EXPECT_EQ(kExitTool, 4);
}

/// The versions of CLI11 that distributions have put it differently.
TEST(UsageMistake, KnowsTheWordsOfEveryVersion) {
    for (const char* said :
         {"--slots: Value 0 not in range 1 to 1000000", "--slots: Value 0 not in range [1 - 1000000]"}) {
        EXPECT_EQ(usage_mistake(said).en, "--slots 0: a number from 1 to 1000000 is expected");
        EXPECT_EQ(usage_mistake(said).zh, "--slots 0：应为 1 到 1000000 的数值");
    }
    EXPECT_EQ(usage_mistake("something new\n"), Message::same("something new"));
}

}  // namespace
}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/record_file.hpp"

#include "cli/perf_receiver.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/host/files.hpp>

#include <filesystem>
#include <map>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RecordFileTest : public ::testing::Test {
  protected:
    RecordFileTest() {
        record_.run_id = "id1";
        table_ = make_perf_table("all_reduce", 2);
        point_.size_bytes = 8;
        point_.type = "float";
        point_.redop = "sum";
        point_.out_of_place.time_us = 1;
        point_.out_of_place.busbw_gb_s = 2;
        point_.out_of_place.wrong = 0;
    }

    test::TempFolder folder_;
    std::string path_ = folder_.path("run.json");
    Record record_;
    Table table_;
    PerfPoint point_;
};

TEST_F(RecordFileTest, EveryLineIsThereWithoutAnEnd) {
    RecordFile file(path_);
    file.append(part::header(record_));
    file.append(part::table(table_));
    file.append(part::row(table_.id, perf_row(point_)));
    // The program is killed here: nothing else is written.
    const RecordText read = read_record_file(path_);
    EXPECT_EQ(read.name, path_ + ".part");
    ASSERT_EQ(read.record.tables.size(), 1U);
    EXPECT_EQ(read.record.tables[0].rows.size(), 1U);
}

TEST_F(RecordFileTest, ThePartOfTheSameRunIsTakenWhenItHasMore) {
    write_output_file(path_, to_json(record_));
    {
        RecordFile file(path_);
        file.append(part::header(record_));
        file.append(part::table(table_));
        file.append(part::row(table_.id, perf_row(point_)));
    }
    EXPECT_EQ(read_record_file(path_).name, path_ + ".part");
    Record other = record_;
    other.run_id = "another";
    write_output_file(path_, to_json(other));
    EXPECT_EQ(read_record_file(path_).name, path_);
}

TEST_F(RecordFileTest, FinishLeavesOnlyTheRecord) {
    RecordFile file(path_);
    file.append(part::header(record_));
    file.finish(record_);
    EXPECT_FALSE(fs::exists(path_ + ".part"));
    EXPECT_EQ(read_record_file(path_).record, record_);
}

TEST_F(RecordFileTest, EarlierRunsAreKept) {
    write_output_file(path_, to_json(record_));
    {
        RecordFile interrupted(path_);
        EXPECT_EQ(interrupted.kept(), std::vector{path_ + ".1"});
        interrupted.append(part::header(record_));
        // killed here
    }
    RecordFile again(path_);
    EXPECT_EQ(again.kept(), std::vector{path_ + ".2.part"});
    again.append(part::header(record_));
    again.finish(record_);
    EXPECT_EQ(read_record_file(path_ + ".1").record, record_);
    EXPECT_EQ(read_record_file(path_ + ".2.part").record, record_);
    EXPECT_EQ(read_record_file(path_ + ".2").record, record_);
}

TEST_F(RecordFileTest, ARefusedRunLeavesWhatWasThere) {
    write_output_file(path_, to_json(record_));
    write_output_file(path_ + ".part", part::header(record_) + "\n");
    const auto contents = [&] {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder_.path()))
            files[entry.path().filename()] = read_input_file(entry.path());
        return files;
    };
    const auto before = contents();
    RecordFile file(path_);
    file.append("a line");
    EXPECT_NE(contents(), before);
    file.discard();
    EXPECT_EQ(contents(), before);
}

TEST_F(RecordFileTest, TwoRunsDoNotShareARecord) {
    const RecordFile first(path_);
    try {
        const RecordFile second(path_);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("another run"));
    }
}

TEST_F(RecordFileTest, PlacesThatCannotBeWrittenAreNamed) {
    const std::string nowhere = folder_.path("absent/run.json");
    try {
        const RecordFile file(nowhere);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(nowhere));
    }
    EXPECT_THROW(static_cast<void>(read_record_file(path_)), Error);
}

TEST_F(RecordFileTest, TheReceiverKeepsWhatItGets) {
    Session session;
    session.json = true;  // no log on stdout here
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    PerfReceiver receiver(session, record_, path_, report::LogForm::nccl_tests);
    receiver.line(part::launch(Launch{}));
    receiver.line(part::table(table_));
    receiver.line(progress_line(1, 2, "all_reduce", 0.5));
    receiver.line(part::row(table_.id, perf_row(point_)));
    EXPECT_FALSE(receiver.complete());
    receiver.line(part::finished("2026-11-30T12:00:00Z"));
    receiver.line(error_line(tool_error("later trouble")));
    EXPECT_TRUE(receiver.complete());
    ASSERT_TRUE(receiver.error());
    EXPECT_STREQ(receiver.error()->what(), "later trouble");
    EXPECT_EQ(receiver.error()->kind(), ErrorKind::tool);
    EXPECT_EQ(receiver.finish(), 0);
    const std::string out = ::testing::internal::GetCapturedStdout();
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(path_));
    const Record read = read_record(out, "stdout");
    EXPECT_EQ(read, read_record_file(path_).record);
    EXPECT_EQ(perf_point(read.tables.at(0), read.tables.at(0).rows.at(0)), point_);
}

TEST_F(RecordFileTest, AnErrorIsSaidLastAndARefusalAlone) {
    Session session;
    const auto end_with = [&](bool measured, const Error& error) {
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        PerfReceiver receiver(session, record_, path_, report::LogForm::nccl_tests);
        if (measured)
            receiver.line(part::table(table_));
        const int status = receiver.finish(error);
        static_cast<void>(::testing::internal::GetCapturedStdout());
        return std::pair(status, ::testing::internal::GetCapturedStderr());
    };
    EXPECT_EQ(end_with(false, input_error("-b 64G: too much")),
              std::pair(2, std::string("gpuadapt: -b 64G: too much\n")));
    EXPECT_FALSE(fs::exists(path_) || fs::exists(path_ + ".part"));
    const auto [status, said] = end_with(true, input_error("later trouble"));
    EXPECT_EQ(status, 2);
    EXPECT_THAT(said, ::testing::EndsWith("gpuadapt: later trouble\n"));
    EXPECT_THAT(said, HasSubstr(path_));
    EXPECT_EQ(end_with(false, tool_error("no mpirun")).first, 4);
    EXPECT_TRUE(fs::exists(path_)) << "what went wrong with the machine is worth a record";
}

TEST_F(RecordFileTest, WrongDataGiveStatusOne) {
    Session session;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    point_.out_of_place.wrong = 1;
    PerfReceiver receiver(session, record_, path_, report::LogForm::nccl_tests);
    receiver.line(part::table(table_));
    receiver.line(part::row(table_.id, perf_row(point_)));
    receiver.line(part::finished("2026-11-30T12:00:00Z"));
    EXPECT_EQ(receiver.finish(), 1);
    EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("# Out of bounds values : 1 FAILED"));
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("DATA1"));
}

}  // namespace
}  // namespace gpuadapt::cli

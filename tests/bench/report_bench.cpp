// SPDX-License-Identifier: Apache-2.0
// The way from a log to a workbook without the command line, for the report's tests and its speed comparison:
//   report_bench LOG WORKBOOK          what `gpuadapt report --log-file LOG --out-file WORKBOOK` does
//   report_bench --make BYTES LOG      a log in the guide's form (two hosts, 4, 8 and 16 ranks) of about that size
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/nccl_log.hpp>
#include <gpuadapt/report/nccl_log_writer.hpp>
#include <gpuadapt/report/workbook.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace gpuadapt;

void write_workbook(const std::string& log, const std::string& out) {
    report::WorkbookContext context;
    context.source = log;
    report::Workbook workbook(out, context);
    Record found;
    ingest::NcclLogReader reader({.file = log}, [&](ingest::NcclLogRun&& run) {
        workbook.add_table(run.table);
        found.findings.insert(found.findings.end(), run.findings.begin(), run.findings.end());
    });
    std::ifstream file(log, std::ios::binary);
    if (!file)
        throw input_error(log + ": cannot be read");
    std::vector<char> piece(std::size_t{1} << 16);
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
        reader.feed({piece.data(), static_cast<std::size_t>(file.gcount())});
    static_cast<void>(reader.finish());
    workbook.finish(found);
}

report::LogHeader made_header(int ranks) {
    report::LogHeader header;
    header.min_bytes = 1024;
    header.max_bytes = std::int64_t{2} << 30;
    header.step_factor = 2;
    header.iterations = 100;
    header.warmup_iterations = 5;
    for (int rank = 0; rank < ranks; ++rank) {
        RankPlace place;
        place.rank = rank;
        place.host = rank < 8 ? "node1" : "node2";
        place.pid = 4000 + rank;
        place.device = rank % 8;
        place.pci_address = "0000:0f:00.0";
        place.device_name = "Made GPU";
        header.ranks.push_back(place);
    }
    return header;
}

PerfHalf made_half(const std::string& collective, int ranks, std::int64_t size, double start_us) {
    PerfHalf half;
    half.time_us = start_us + static_cast<double>(size) / 41.5e3;
    half.algbw_gb_s = static_cast<double>(size) / *half.time_us / 1e3;
    half.busbw_gb_s = *half.algbw_gb_s * bus_factor(collective, ranks);
    half.wrong = 0;
    return half;
}

void make_log(std::int64_t bytes, const std::string& out) {
    constexpr std::array<const char*, 9> kCollectives = {"all_gather",     "all_reduce", "alltoall",
                                                         "broadcast",      "gather",     "reduce",
                                                         "reduce_scatter", "scatter",    "sendrecv"};
    std::ofstream file(out, std::ios::binary);
    report::NcclLogWriter writer(report::LogForm::guide);
    for (int round = 0; file && file.tellp() < bytes; ++round)
        for (const std::string collective : kCollectives)
            for (const int ranks : {4, 8, 16}) {
                file << writer.begin_table(collective, ranks, made_header(ranks));
                const bool rooted = collective == "broadcast" || collective == "gather" || collective == "reduce" ||
                                    collective == "scatter";
                const bool per_rank = collective == "all_gather" || collective == "alltoall" ||
                                      collective == "gather" || collective == "reduce_scatter" ||
                                      collective == "scatter";
                for (std::int64_t size = 1024; size <= std::int64_t{2} << 30; size *= 2) {
                    PerfPoint point;
                    point.size_bytes = size;
                    point.count = size / 2 / (per_rank ? ranks : 1);
                    point.type = "bfloat16";
                    point.redop = "sum";
                    point.root = rooted ? 0 : -1;
                    point.kernel_us = 12.5 + static_cast<double>(size) / 45e3 + round;
                    point.out_of_place = made_half(collective, ranks, size, 17.0 + round);
                    point.in_place = made_half(collective, ranks, size, 16.0 + round);
                    if (!in_place_defined(collective))
                        point.in_place.wrong.reset();
                    file << writer.row(point);
                }
                file << writer.end_table();
            }
    if (!file.flush())
        throw tool_error(out + ": cannot be written");
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> arguments(words + 1, words + count);
    try {
        if (arguments.size() == 3 && arguments[0] == "--make")
            make_log(parse_size(arguments[1]).value_or(0), arguments[2]);
        else if (arguments.size() == 2)
            write_workbook(arguments[0], arguments[1]);
        else
            throw input_error("usage: report_bench LOG WORKBOOK | report_bench --make BYTES LOG");
    } catch (const Error& error) {
        std::cerr << "report_bench: " << error.what() << '\n';
        return error.kind() == ErrorKind::input ? 2 : 4;
    }
    return 0;
}

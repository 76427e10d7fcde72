// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/nccl_log.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Any bytes, in one piece and cut in two: the reader must take them, give the same, and give only good rows.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace gpuadapt;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ingest::NcclLogOptions options{.file = "input"};
    const ingest::NcclLog whole = ingest::read_nccl_log(text, options);
    ingest::NcclLog pieces;
    ingest::NcclLogReader reader(options, [&](ingest::NcclLogRun&& run) { pieces.runs.push_back(std::move(run)); });
    reader.feed(text.substr(0, size / 2));
    reader.feed(text.substr(size / 2));
    pieces.summary = reader.finish();
    if (whole.runs.size() != pieces.runs.size() || whole.summary.rows != pieces.summary.rows)
        std::abort();
    for (const ingest::NcclLogRun& run : whole.runs)
        for (const Row& row : run.table.rows)
            if (row.size() != run.table.columns.size())
                std::abort();
    return 0;
}

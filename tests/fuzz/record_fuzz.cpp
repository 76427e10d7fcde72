// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/record.hpp>

#include <cstdint>
#include <cstdlib>

/// Any bytes give a Record or an Error(input); a Record that was read can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gpuadapt;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Record record;
    try {
        record = read_record(text, "fuzz");
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input)
            std::abort();
        return 0;
    }
    for (const Table& table : record.tables) {
        for (const Row& row : table.rows) {
            try {
                static_cast<void>(perf_point(table, row));
            } catch (const Error&) {
                continue;
            }
        }
    }
    const std::string written = to_json(record);
    if (to_json(read_record(written, "again")) != written)
        std::abort();
    return 0;
}

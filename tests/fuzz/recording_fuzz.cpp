// SPDX-License-Identifier: Apache-2.0
#include "host/recording_format.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

gpuadapt::Answers read_input(std::string_view text) {
    using namespace gpuadapt;
    // Text of answers.tsv without the archive around it: a checksum stops most changes of an archive.
    if (text.starts_with("tsv\n"))
        return read_members({{"gpuadapt-recording", "gpuadapt-recording 1\n"},
                             {"answers.tsv", std::string(text.substr(4))},
                             {"commands/1/out", "output"},
                             {"files/sys/a", "text"}},
                            "fuzz");
    RecordingLimits limits;
    limits.members = 100;
    limits.member_bytes = std::size_t{1} << 16;
    limits.total_bytes = std::size_t{1} << 18;
    return unpack_recording(text, "fuzz", limits);
}

}  // namespace

/// What can be read can be written and read again; everything else is the user's error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const gpuadapt::Answers answers = read_input({reinterpret_cast<const char*>(data), size});
        if (!(gpuadapt::unpack_recording(gpuadapt::pack_recording(answers), "again") == answers))
            std::abort();
    } catch (const gpuadapt::Error& error) {
        if (error.kind() != gpuadapt::ErrorKind::input)
            std::abort();
    }
    return 0;
}

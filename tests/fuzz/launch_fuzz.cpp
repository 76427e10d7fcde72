// SPDX-License-Identifier: Apache-2.0
// What mpirun, ssh and other hosts print is foreign text.
#include <gpuadapt/bench/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)gpuadapt::parse_mpirun_version(text);
    const auto dead = gpuadapt::parse_dead_rank(text);
    if (dead && dead->rank < 0) {
        std::abort();
    }
    const auto finding = gpuadapt::explain_mpirun(text);
    if (finding && (finding->title.en.empty() || finding->title.zh.empty() || finding->subject.empty() ||
                    !gpuadapt::is_utf8(finding->subject) || !gpuadapt::is_utf8(finding->evidence.en))) {
        std::abort();
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/nccl_log.hpp>

#include <array>

namespace gpuadapt::ingest {
namespace {

struct Name {
    std::string_view squeezed;  ///< lower case letters only
    std::string_view name;
};

constexpr std::array<Name, 12> kNames = {{{"allreduce", "all_reduce"},
                                          {"allgather", "all_gather"},
                                          {"reducescatter", "reduce_scatter"},
                                          {"alltoall", "alltoall"},
                                          {"alltoallv", "alltoallv"},
                                          {"broadcast", "broadcast"},
                                          {"reduce", "reduce"},
                                          {"gather", "gather"},
                                          {"scatter", "scatter"},
                                          {"sendrecv", "sendrecv"},
                                          {"hypercube", "hypercube"},
                                          {"alltoalld", "alltoalld"}}};

}  // namespace

std::optional<std::string> collective_name(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash != std::string_view::npos)
        text.remove_prefix(slash + 1);
    std::string squeezed;
    for (const char c : text) {
        if (c >= 'A' && c <= 'Z')
            squeezed.push_back(static_cast<char>(c - 'A' + 'a'));
        else if (c >= 'a' && c <= 'z')
            squeezed.push_back(c);
        else if (c != '_' && c != '-')
            return std::nullopt;
    }
    constexpr std::string_view kSuffix = "perf";
    if (squeezed.size() > kSuffix.size() &&
        std::string_view(squeezed).substr(squeezed.size() - kSuffix.size()) == kSuffix)
        squeezed.resize(squeezed.size() - kSuffix.size());
    for (const Name& entry : kNames)
        if (entry.squeezed == squeezed)
            return std::string(entry.name);
    return std::nullopt;
}

}  // namespace gpuadapt::ingest

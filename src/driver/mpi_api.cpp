// SPDX-License-Identifier: Apache-2.0
#include "driver/mpi_api.hpp"

#include <gpuadapt/core/error.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace gpuadapt::mpi {

Api load_api(const Library& library) {
    Api api;
#define GPUADAPT_MPI_LOAD(member, symbol, parameters) \
    api.member = reinterpret_cast<decltype(api.member)>(library.require(#symbol));
    GPUADAPT_MPI_FUNCTIONS(GPUADAPT_MPI_LOAD)
    GPUADAPT_MPI_HANDLES(GPUADAPT_MPI_LOAD)
#undef GPUADAPT_MPI_LOAD
    return api;
}

void require(const Api& api, int result, const char* what) {
    if (result == kSuccess) {
        return;
    }
    std::array<char, kTextRoom> text{};
    int length = 0;
    if (api.error_string(result, text.data(), &length) != kSuccess || length <= 0) {
        throw tool_error(std::string(what) + " failed with MPI error " + std::to_string(result));
    }
    const auto end = std::min(static_cast<std::size_t>(length), text.size() - 1);
    throw tool_error(std::string(what) + " failed: " + std::string(text.data(), end));
}

}  // namespace gpuadapt::mpi

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/topology.hpp>
#include <gpuadapt/ingest/topo_matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Any bytes: no row longer than the names, and what was read can be compared.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace gpuadapt;
    const auto matrix = ingest::read_topology_matrix({reinterpret_cast<const char*>(data), size});
    if (!matrix)
        return 0;
    if (matrix->names.empty() || matrix->cells.size() != matrix->names.size())
        std::abort();
    for (const auto& row : matrix->cells)
        if (row.size() > matrix->names.size())
            std::abort();
    Machine machine;
    for (int i = 0; i < 3; ++i)
        machine.gpus.emplace_back().address = "0000:0" + std::to_string(i) + ":00.0";
    if (compare_topology(topology_of(machine), *matrix).compared > 3)
        std::abort();
    return 0;
}

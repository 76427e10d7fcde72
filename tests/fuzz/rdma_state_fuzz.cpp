// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/ingest/rdma_state.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Outputs of RDMA tools and ethtool. What comes out must be a Machine that a record can hold.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace gpuadapt;
    const ingest::RdmaState state =
        ingest::read_rdma_state(std::string_view(reinterpret_cast<const char*>(data), size));
    Machine machine;
    machine.rdma_devices = state.devices;
    machine.interfaces = state.interfaces;
    machine.pci_devices = state.pci_devices;
    if (read_machine(to_json(machine), "fuzz") != machine)
        std::abort();
    return 0;
}

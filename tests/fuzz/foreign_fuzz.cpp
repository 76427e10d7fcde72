// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/foreign_input.hpp>
#include <gpuadapt/probe/foreign.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// Any file that somebody sends: archives, texts, binary tables. It is a machine or the user's error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace gpuadapt;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        const Machine machine = machine_of_bytes(bytes, "fuzz");
        for (const PciDevice& device : machine.pci_devices)
            if (device.address.empty())
                std::abort();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input)
            std::abort();
    }
    return 0;
}

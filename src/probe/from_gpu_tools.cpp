// SPDX-License-Identifier: Apache-2.0
#include "probe/from_texts.hpp"

#include <gpuadapt/ingest/mx_smi.hpp>
#include <gpuadapt/ingest/nvidia_smi.hpp>
#include <gpuadapt/ingest/rocm_smi.hpp>

namespace gpuadapt {

namespace {

/// A text that only looks like a tool's output, such as its help, tells nothing.
bool take(Machine facts, Machine& machine) {
    if (facts.gpus.empty() && facts.versions.empty() && facts.pci_devices.empty() && facts.unread.empty())
        return false;
    machine = std::move(facts);
    return true;
}

}  // namespace

bool machine_from_nvidia_smi(std::string_view, std::string_view text, const std::string&, Machine& machine) {
    return ingest::looks_like_nvidia_smi(text) && take(ingest::read_nvidia_smi(text), machine);
}

bool machine_from_mx_smi(std::string_view, std::string_view text, const std::string&, Machine& machine) {
    return ingest::looks_like_mx_smi(text) && take(ingest::read_mx_smi(text), machine);
}

bool machine_from_rocm_smi(std::string_view, std::string_view text, const std::string&, Machine& machine) {
    return ingest::looks_like_rocm_smi(text) && take(ingest::read_rocm_smi(text), machine);
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "core/gpu_identity.hpp"

#include <algorithm>

namespace gpuadapt {

namespace {

bool is_same(const Gpu& a, const Gpu& b) {
    if (a.uuid && b.uuid)
        return *a.uuid == *b.uuid;
    return a.vendor == b.vendor && a.index && a.index == b.index;
}

}  // namespace

Machine with_addresses(Machine facts, const Machine& known) {
    for (Gpu& gpu : facts.gpus) {
        if (!gpu.address.empty())
            continue;
        const auto same = std::find_if(known.gpus.begin(), known.gpus.end(),
                                       [&](const Gpu& it) { return !it.address.empty() && is_same(gpu, it); });
        if (same != known.gpus.end())
            gpu.address = same->address;
    }
    return facts;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"

#include <gpuadapt/ingest/topo_matrix.hpp>

#include <fmt/format.h>

namespace gpuadapt {

/// What the matrices that the vendors' tools printed mean. The texts were taken by an earlier probe.
void probe_vendor_topology(Root& root, Machine& machine) {
    for (TopologyMatrix& matrix : machine.vendor_topology) {
        auto read = ingest::read_topology_matrix(matrix.text);
        if (!read) {
            root.note_unread(matrix.tool, "no topology matrix in its output");
            continue;
        }
        matrix.names = std::move(read->names);
        matrix.cells = std::move(read->cells);
        matrix.legend = std::move(read->legend);
    }
}

}  // namespace gpuadapt

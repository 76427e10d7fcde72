// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/xlsx.hpp"

#include <gpuadapt/report/workbook.hpp>

namespace gpuadapt::report {

/// Title, what is not measured yet, and the command that measures it.
void write_unmeasured_sheet(XlsxSheet& sheet, const Sheet& about, const WorkbookContext& context);

/// TOPO信息: what the Record knows of NUMA nodes, the PCI tree with its links, GPUs and network, a host below the
/// other.
void write_topology_sheet(XlsxSheet& sheet, const WorkbookContext& context);

}  // namespace gpuadapt::report

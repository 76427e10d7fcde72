// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/library.hpp>
#include <gpuadapt/driver/management.hpp>

/// What only libibverbs (rdma-core) knows about RDMA ports: the MTU. The kernel has no file of it.
namespace gpuadapt::verbs {

/// See ManagementLibrary::read. Facts are the name and GUID of each device and the MTUs of its ports. Each device is
/// opened for it, which needs /dev/infiniband/uverbs*; one that cannot be opened becomes a note.
void read(const Library& library, const ManagementSink& sink);

}  // namespace gpuadapt::verbs

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/group.hpp>

namespace gpuadapt::test {

/// All nine collectives of the host backend with all types, operations, placements and roots, against results worked
/// out from their definitions. Throws on all ranks when one differs.
void check_collectives(Group& world);

}  // namespace gpuadapt::test

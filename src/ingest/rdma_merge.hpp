// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string>
#include <vector>

/// For the facts of one text, line by line; core/merge.hpp does the same for whole Machines by way of their JSON.
namespace gpuadapt::ingest {

/// Fills what `into` does not know from `from`. What both know and give differently stays as it is in `into` and is
/// told in `disagreements`. Ports belong together by number, GIDs by index; a port 0 of `from` is the only port of
/// `into` when that has one.
void merge(const RdmaDevice& from, RdmaDevice& into, std::vector<std::string>& disagreements);
void merge(const NetInterface& from, NetInterface& into, std::vector<std::string>& disagreements);

}  // namespace gpuadapt::ingest

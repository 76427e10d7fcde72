// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/pci_config.hpp"
#include "probe/pci_files.hpp"

#include <gpuadapt/core/machine.hpp>

/// What the kernel's files say of a PCI function (Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-*).
namespace gpuadapt {

/// Class, ids and driver as the kernel thinks them: it corrects some devices, and knows those of virtual functions.
void take_identity(DeviceFiles& files, PciDevice& device);

/// Where the configuration space is closed to us, the kernel still tells the state of the link.
void take_link_files(DeviceFiles& files, PciLink& link);

/// Base address registers, error counters, power, virtual functions and VPD; `config` tells which of these the function
/// has, so that the others are not asked for.
void take_facts(DeviceFiles& files, const PciConfig& config, PciDevice& device);

}  // namespace gpuadapt

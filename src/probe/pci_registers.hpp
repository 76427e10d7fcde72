// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/pci_config.hpp"
#include "probe/pci_space.hpp"

#include <cstddef>

/// The pieces of decode_pci_config().
namespace gpuadapt {

inline constexpr int kCapabilityPower = 0x01;
inline constexpr int kCapabilityVpd = 0x03;
inline constexpr int kCapabilitySubsystem = 0x0d;
inline constexpr int kCapabilityExpress = 0x10;
inline constexpr int kExtendedAer = 0x0001;
inline constexpr int kExtendedSriov = 0x0010;

/// The PCI Express capability at `at` (PCIe base spec 7.5.3).
void decode_express(PciSpace& space, std::size_t at, const PciFunction& function, PciDevice& device);

/// The extended capabilities that we know (PCIe base spec 7.7 to 7.9); after decode_express().
void decode_extended(PciSpace& space, PciDevice& device);

}  // namespace gpuadapt

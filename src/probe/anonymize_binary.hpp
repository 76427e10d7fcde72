// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/pseudonyms.hpp>

#include <string>

/// Identities that have a place in a binary format, replaced there and nowhere else: bytes that happen to be the same
/// elsewhere stay. Lengths stay; damaged input is taken as it is.
namespace gpuadapt {

/// Device Serial Number capability (PCIe base spec 7.9.3) of a configuration space.
[[nodiscard]] std::string anonymize_config(std::string bytes, const Pseudonyms& names);

/// Serial number and makers' own fields (SN, V0-VZ, Y0-YZ) of Vital Product Data (PCI 3.0, appendix I), with the
/// checksum made to fit again.
[[nodiscard]] std::string anonymize_vpd(std::string bytes, const Pseudonyms& names);

/// UUID of type 1 of an SMBIOS table (DSP0134, 7.2.1).
[[nodiscard]] std::string anonymize_smbios(std::string bytes, const Pseudonyms& names);

}  // namespace gpuadapt

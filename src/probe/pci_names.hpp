// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace gpuadapt {

/// Names of the pci.ids file, by libpci. Offline: no DNS, no hwdb, no cache file. An unknown number, and a file that is
/// missing or damaged, gives nullopt. The file is read at the first question.
class PciNames {
  public:
    /// `ids_file` instead of the one that libpci knows; for tests.
    explicit PciNames(const std::string& ids_file = "");
    ~PciNames();
    PciNames(const PciNames&) = delete;
    PciNames& operator=(const PciNames&) = delete;

    [[nodiscard]] std::optional<std::string> vendor(int vendor_id);
    [[nodiscard]] std::optional<std::string> device(int vendor_id, int device_id);
    [[nodiscard]] std::optional<std::string> class_name(int class_code);  ///< 24 bit; the subclass is named

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuadapt

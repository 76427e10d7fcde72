// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::ingest {

/// Reads the drawing of `lspci -t`: each line continues at a branch of the lines above, which is found by its column.
class LspciTree {
  public:
    struct Node {
        std::string address;
        std::optional<std::string> parent;  ///< nullopt on a root bus
        std::string name;                   ///< "" for bridges, and without -v
    };

    /// Nodes of one line; empty when it is no part of a tree.
    [[nodiscard]] std::vector<Node> take(std::string_view line);

  private:
    /// A bus: where devices of a line hang.
    struct Bus {
        std::string domain;
        int number = -1;
        std::optional<std::string> bridge;
        [[nodiscard]] bool known() const { return number >= 0; }
    };

    [[nodiscard]] Bus bus_at(std::size_t column) const;
    bool take_bus(std::string_view& rest, Bus& bus) const;

    std::map<std::size_t, Bus> branches_;  ///< by column of the '+' or '\'
    std::optional<std::string> last_;      ///< the device before a "-[bus]"
};

}  // namespace gpuadapt::ingest

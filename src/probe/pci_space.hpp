// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/pci_config.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gpuadapt {

/// A configuration space and its two lists of capabilities. Four bytes are fetched when they are first asked for, but
/// for what fetch() was told to fetch before. What lies behind the end is nullopt.
class PciSpace {
  public:
    static constexpr std::size_t kHeaderBytes = 64;
    static constexpr std::size_t kConventionalBytes = 256;
    static constexpr std::size_t kBytes = 4096;

    explicit PciSpace(const ConfigSource& source) : source_(source) {}

    /// Gets bytes with one question that will be needed together. Both numbers are multiples of 4. Gives those that are
    /// there.
    std::string fetch(std::size_t begin, std::size_t size);

    [[nodiscard]] std::optional<int> byte(std::size_t at) { return number(at, 1); }
    [[nodiscard]] std::optional<int> word(std::size_t at) { return number(at, 2); }
    [[nodiscard]] std::optional<std::uint32_t> dword(std::size_t at);

    /// How much can be read: 64, 256 or 4096; something between when the bytes are cut.
    [[nodiscard]] int readable();

    /// Reads the lists. Call once, before what is below. The extended one is read only where the whole space is there:
    /// in a part of it a list that is cut cannot be told from one that ends.
    void walk();

    /// Offset of the first capability of that id.
    [[nodiscard]] std::optional<std::size_t> capability(int id) const { return find(capabilities_, id); }
    [[nodiscard]] std::optional<std::size_t> extended(int id) const { return find(extended_, id); }

    /// Whether there is one; nullopt where its list was not read to the end.
    [[nodiscard]] std::optional<bool> has_capability(int id) const;
    [[nodiscard]] std::optional<bool> has_extended(int id) const;

    /// Offset at which a list stops making sense; nullopt where it is good, or cut.
    [[nodiscard]] std::optional<std::size_t> damage() const { return damage_; }
    [[nodiscard]] std::optional<std::size_t> extended_damage() const { return extended_damage_; }

  private:
    using Places = std::map<int, std::size_t>;  ///< capability id to offset

    [[nodiscard]] static std::optional<std::size_t> find(const Places& places, int id);
    [[nodiscard]] const std::string& four(std::size_t begin);
    [[nodiscard]] std::optional<int> number(std::size_t at, std::size_t size);
    [[nodiscard]] std::optional<int> one(std::size_t at);
    void walk_capabilities();
    void walk_extended();

    const ConfigSource& source_;
    std::map<std::size_t, std::string> fours_;  ///< fewer bytes where the space ends in them
    Places capabilities_, extended_;
    bool complete_ = false, extended_complete_ = false;
    std::optional<std::size_t> damage_, extended_damage_;
};

}  // namespace gpuadapt

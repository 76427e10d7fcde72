// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/judgement.hpp"

#include <gpuadapt/core/finding.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// From what is to be changed to the lines that somebody types. Here alone words become shell: quoted, with what takes
/// it back, and made to last as the distribution does it.
namespace gpuadapt::check {

/// A word as a POSIX shell takes it: in single quotes where it has to be.
[[nodiscard]] std::string shell_word(std::string_view word);
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

class RemedyBuilder {
  public:
    explicit RemedyBuilder(const Subject& subject) : subject_(subject) {}

    /// Writes `value` to a file below /proc/sys or /sys ('*' in it: to each such file). It lasts by sysctl.d or
    /// tmpfiles.d. `old` is what stands there; nullopt when that is not known or differs.
    RemedyBuilder& set(const std::string& path, const std::string& value, const std::optional<std::string>& old);
    /// A field of a configuration register, in setpci's words: ("0000:3a:00.0", "ECAP_ACS+6.w", 0, 0x2c, 0x1d).
    /// Registers are lost with a reset: say how it lasts with `argument` or `firmware`.
    RemedyBuilder& pci(const std::string& address, const std::string& name, unsigned value, unsigned mask,
                       std::optional<unsigned> old);
    /// Holds from the next boot on. `add` and `remove` are whole arguments: "iommu=pt".
    RemedyBuilder& kernel_arguments(const std::vector<std::string>& add, const std::vector<std::string>& remove = {});
    /// A module's option, from the next loading on.
    RemedyBuilder& module_option(const std::string& module, const std::string& option);
    /// A program; `undo` may be empty where nothing is to be taken back.
    RemedyBuilder& command(const std::vector<std::string>& words, const std::vector<std::string>& undo = {});
    RemedyBuilder& lasting_command(const std::vector<std::string>& words, const std::vector<std::string>& undo = {});
    /// A file of our own, with this text.
    RemedyBuilder& lasting_file(const std::string& path, const std::string& text);
    RemedyBuilder& verify(const std::vector<std::string>& words);
    RemedyBuilder& firmware(const Text& text);
    /// What a person has to do, as a comment among the lines.
    RemedyBuilder& note_now(std::string_view text);
    RemedyBuilder& note_lasting(std::string_view text);

    /// Lines that several calls gave stand in it once.
    [[nodiscard]] Remedy take();

  private:
    const Subject& subject_;
    Remedy remedy_;
};

}  // namespace gpuadapt::check

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>

#include <optional>
#include <string_view>

namespace gpuadapt::report {

/// What one machine says to an item; nullopt when nothing of it could be read.
using ItemValue = std::optional<Message>;

/// `key` is one of kEnvironmentItems but communication_setup, which belongs to the launch.
[[nodiscard]] ItemValue environment_value(std::string_view key, const Machine& machine,
                                          const std::optional<Launch>& launch);

/// The three parts of communication_setup, in this order; each is lines that a shell takes.
/// The environment of the start.
[[nodiscard]] std::string launch_environment(const Launch& launch);
/// What else counts on this host: variables of the collective library that stand there with another value, and what
/// its configuration files set; nullopt for nothing.
[[nodiscard]] ItemValue host_setup(const Machine& machine, const std::optional<Launch>& launch);
[[nodiscard]] Message start_command(const Launch& launch);

/// `word` as a shell takes it back: quoted only where it must be.
[[nodiscard]] std::string shell_word(std::string_view word);
/// `text` as a line that a shell passes over, whatever it holds.
[[nodiscard]] std::string shell_remark(std::string_view text);

}  // namespace gpuadapt::report

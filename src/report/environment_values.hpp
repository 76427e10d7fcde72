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

/// Effective environment and start command, ready to be pasted into a shell; nullopt without a launch.
[[nodiscard]] ItemValue communication_setup(const std::optional<Launch>& launch);

/// `word` as a shell takes it back: quoted only where it must be.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace gpuadapt::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

#include <string>

/// Texts made from the command table and the options as CLI11 knows them, so that help, man page and completion agree.
namespace gpuadapt::cli {

/// Help of the program (`command` = nullptr) or of one command, at most 80 columns wide.
[[nodiscard]] std::string help_text(const CLI::App& app, const Command* command, Lang lang);

/// roff text for section 1, in English.
[[nodiscard]] std::string man_page(const CLI::App& app);

/// A bash completion script.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

/// The name closest to `word` by edit distance, when it is close enough to be a slip of the finger.
[[nodiscard]] std::optional<std::string> closest(const std::string& word, const std::vector<std::string>& names);

/// Names of the options of `app`, with their dashes.
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& app);

}  // namespace gpuadapt::cli

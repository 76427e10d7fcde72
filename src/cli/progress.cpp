// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <gpuadapt/core/units.hpp>

#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace gpuadapt::cli {
namespace {

// What cannot be shown is not worth an error.
void put(std::string_view text) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void Progress::show(int done, int total, const std::string& current, std::optional<double> remaining_seconds) {
    if (!enabled_)
        return;
    const std::string left = remaining_seconds ? fmt::format(", {} left", format_duration(*remaining_seconds)) : "";
    put(fmt::format("\r\x1b[K[{}/{}{}] {}", done, total, left, current));
    visible_ = true;
}

void Progress::clear() {
    if (visible_)
        put("\r\x1b[K");
    visible_ = false;
}

}  // namespace gpuadapt::cli

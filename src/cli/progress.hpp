// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace gpuadapt::cli {

/// One line on stderr that is overwritten; nothing where stderr is no terminal.
class Progress {
  public:
    explicit Progress(bool enabled) : enabled_(enabled) {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { clear(); }

    void show(int done, int total, const std::string& current, std::optional<double> remaining_seconds);
    /// Takes the line away, before something else is printed.
    void clear();

  private:
    bool enabled_;
    bool visible_ = false;
};

}  // namespace gpuadapt::cli

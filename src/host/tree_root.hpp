// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/archive_reader.hpp"

#include <gpuadapt/host/memory_root.hpp>

#include <optional>
#include <string>

namespace gpuadapt {

/// A part of a machine's /sys and /proc that another tool has packed. Links are followed inside it, as LiveRoot does in
/// a folder. What is not in it was not packed and so is unknown. Names of PCI devices are asked of this machine's
/// pci.ids; nothing else of this machine is.
class TreeRoot : public MemoryRoot {
  public:
    explicit TreeRoot(Answers answers) : MemoryRoot(std::move(answers)) {}

    [[nodiscard]] std::optional<std::string> lookup(
        const std::string& key, const std::function<std::optional<std::string>()>& compute) override;
    [[nodiscard]] TextAnswer answer_read(const std::string& path, std::size_t limit) override;
    [[nodiscard]] ListAnswer answer_list(const std::string& path) override;
    [[nodiscard]] TextAnswer answer_link(const std::string& path) override;
    [[nodiscard]] AnswerStatus answer_exists(const std::string& path) override;

  private:
    /// The path without links; nullopt where they run in a circle.
    [[nodiscard]] std::optional<std::string> resolve(const std::string& path, bool follow_last) const;
};

/// The tree in an archive: everything in the folder in which "sys" or "proc" lie. nullopt when there is none; throws
/// Error(input) that names `file` when there are several.
[[nodiscard]] std::optional<Answers> find_tree(const ArchiveContents& contents, const std::string& file);

}  // namespace gpuadapt

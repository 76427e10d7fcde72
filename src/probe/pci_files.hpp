// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/root.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gpuadapt {

/// Files of many PCI functions that could not be read. Without root it is the same file of hundreds of them: each kind
/// of file becomes one line of Machine::unread.
class UnreadFiles {
  public:
    void add(const std::string& path, const std::string& name, const std::string& reason);
    void time_out(const std::string& name) { ++timed_out_[name]; }

    /// One that hangs is enough: the others of that name are likely to hang too.
    [[nodiscard]] bool has_timed_out(const std::string& name) const { return timed_out_.contains(name); }

    void note(Root& root, std::size_t devices) const;

  private:
    struct Kind {
        std::string first_path, last_path;
        std::size_t count = 0;  ///< of paths: a device may be asked several times for parts of one file
    };
    std::map<std::pair<std::string, std::string>, Kind> kinds_;  ///< by name and reason
    std::map<std::string, int> timed_out_;
};

/// The files of one PCI function: /sys/bus/pci/devices/X/NAME. Absent is nullopt; what is there but cannot be read is
/// nullopt too, and counted.
class DeviceFiles {
  public:
    DeviceFiles(Root& root, UnreadFiles& unread, const std::string& address);

    [[nodiscard]] std::optional<std::string> text(const std::string& name);
    [[nodiscard]] std::optional<std::string> part(const std::string& name, std::size_t offset, std::size_t size);
    [[nodiscard]] std::optional<std::string> line(const std::string& name);  ///< as Root::read_line()
    [[nodiscard]] std::optional<int> number(const std::string& name);
    [[nodiscard]] std::optional<std::string> link(const std::string& name);  ///< "" is the function itself

    [[nodiscard]] std::string path(const std::string& name) const;
    [[nodiscard]] const std::string& address() const { return address_; }
    void note(const std::string& name, const std::string& reason) { unread_.add(path(name), name, reason); }

    /// True, and noted, when a file of that name has hung before.
    [[nodiscard]] bool is_given_up(const std::string& name);

  private:
    [[nodiscard]] std::optional<std::string> take(const std::string& name, TextAnswer answer);

    Root& root_;
    UnreadFiles& unread_;
    std::string address_, folder_;
};

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/check/checks.hpp>
#include <gpuadapt/core/topology.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

/// What the rules of one machine are written with.
namespace gpuadapt::check {

/// A text of both languages with the same values put in.
template <class... Values>
[[nodiscard]] Message say(const Text& text, const Values&... values) {
    return {fmt::format(fmt::runtime(text.en), values...), fmt::format(fmt::runtime(text.zh), values...)};
}

/// One machine, with what follows from it.
struct Subject {
    Subject(const HostMachine& host, const Choice& choice);

    const Machine& machine;
    Topology topology;
    Profile profile;
    OsFamily family;
    const Expectations* expected;  ///< of its model; nullptr: nothing is expected

    /// nullptr: it was not read.
    [[nodiscard]] const PciDevice* device(std::string_view address) const;
    [[nodiscard]] const PciDevice* above(const PciDevice& device) const;
    /// From the port next to `device` up to the root port; empty for a device on a root bus.
    [[nodiscard]] std::vector<const PciDevice*> bridges_above(const PciDevice& device) const;
    /// Of its GPUs and of its network functions (class 0x02), in the order of addresses; without virtual functions.
    [[nodiscard]] std::vector<const PciDevice*> gpu_devices() const;
    [[nodiscard]] std::vector<const PciDevice*> network_devices() const;
    [[nodiscard]] std::optional<std::string> setting(std::string_view path) const;
    [[nodiscard]] const KernelModule* module(std::string_view name) const;
    /// "GPU0 0000:18:00.0": with the vendor's number of it, where there is one.
    [[nodiscard]] std::string gpu_name(const Gpu& gpu) const;
    /// An argument of the kernel's command line: "" for one without a value, the last of several; nullopt: not given,
    /// or the command line was not read.
    [[nodiscard]] std::optional<std::string> kernel_argument(std::string_view name) const;
    /// Why nothing is known of `source` (a file, where '*' stands for any part of a path; a library; a command): what
    /// the reading noted of it, else that it is not there.
    [[nodiscard]] Message why_unread(std::string_view source) const;

  private:
    std::map<std::string_view, const PciDevice*> devices_;
};

/// Collects what one rule says about one machine. A rule that calls nothing has found nothing that it is about: it does
/// not apply.
class Judgement {
  public:
    /// `host` goes before each subject; empty where there is only one machine.
    Judgement(const Check& self, std::string host) : self_(self), host_(std::move(host)) {}

    /// One thing was looked at, and is as it should be (as far as was seen).
    void ok();
    /// A finding of the check's own severity, or of another.
    Finding& wrong(const std::string& subject, Message evidence, Message advice = {});
    Finding& wrong(Severity severity, const std::string& subject, Message evidence, Message advice = {});
    /// One thing cannot be known. `why` names the file or tool that does not tell.
    Finding& unknown(const std::string& subject, Message why, Message advice = {});

    [[nodiscard]] const Check& self() const { return self_; }
    [[nodiscard]] Outcome take() { return std::move(outcome_); }

  private:
    Finding& add(Severity severity, const std::string& subject, Message evidence, Message advice);
    const Check& self_;
    std::string host_;
    Outcome outcome_;
};

/// "a, b, c": what several things have in common is said once. More than `most` are counted: "a, b, +7".
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t most = 8);

/// True when `path` is what `pattern` means: '*' stands for any characters but '/'.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view path);

}  // namespace gpuadapt::check

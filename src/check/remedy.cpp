// SPDX-License-Identifier: Apache-2.0
#include "check/remedy.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace gpuadapt::check {
namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

void add(std::vector<std::string>& lines, std::string line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end())
        lines.push_back(std::move(line));
}

std::string write_line(const std::string& text, const std::string& path) {
    return fmt::format("echo {} > {}", shell_word(text), shell_word(path));
}

/// A path with '*' stands in the line as a pattern: it is one of ours, without any other character of the shell.
std::string write_each(const std::string& text, const std::string& pattern) {
    assert(pattern.find_first_not_of(std::string(kPlain) + '*') == std::string::npos);
    return fmt::format("for file in {}; do echo {} > \"$file\"; done", pattern, shell_word(text));
}

/// "/proc/sys/kernel/numa_balancing" as sysctl.d has it; with slashes where a name itself holds a dot.
std::string sysctl_key(std::string key) {
    if (key.find('.') == std::string::npos)
        std::replace(key.begin(), key.end(), '/', '.');
    return key;
}

/// A name for a file of ours, from the path that it is about.
std::string file_name(std::string_view path) {
    std::string name;
    for (const char c : path)
        if (kPlain.find(c) == std::string_view::npos || c == '/')
            name += name.empty() || name.back() == '-' ? "" : "-";
        else
            name += c;
    return name;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace

std::string shell_word(std::string_view word) {
    const std::string clean = clean_utf8(word);
    if (!clean.empty() && clean.find_first_not_of(kPlain) == std::string::npos)
        return clean;
    std::string quoted = "'";
    for (const char c : clean)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + shell_word(word);
    return line;
}

RemedyBuilder& RemedyBuilder::set(const std::string& path, const std::string& value,
                                  const std::optional<std::string>& old) {
    constexpr std::string_view kSysctl = "/proc/sys/";
    const bool each = path.find('*') != std::string::npos;
    const auto line = [&](const std::string& text) { return each ? write_each(text, path) : write_line(text, path); };
    add(remedy_.now, line(value));
    add(remedy_.now_undo, old ? line(*old) : fmt::format("# {}: its old values are in the record", path));
    std::string file, text;
    if (path.starts_with(kSysctl)) {
        const std::string key = sysctl_key(path.substr(kSysctl.size()));
        file = fmt::format("/etc/sysctl.d/90-gpuadapt-{}.conf", file_name(key));
        text = fmt::format("{} = {}", key, value);
    } else {
        file = fmt::format("/etc/tmpfiles.d/gpuadapt-{}.conf", file_name(path));
        text = fmt::format("w {} - - - - {}", path, value);
    }
    lasting_file(file, text);
    add(remedy_.verify, each ? "grep -H . " + path : shell_line({"cat", path}));
    return *this;
}

RemedyBuilder& RemedyBuilder::pci(const std::string& address, const std::string& name, unsigned value, unsigned mask,
                                  std::optional<unsigned> old) {
    const auto line = [&](unsigned bits) {
        return shell_line({"setpci", "-s", address, fmt::format("{}={:x}:{:x}", name, bits, mask)});
    };
    add(remedy_.now, line(value));
    add(remedy_.now_undo, old ? line(*old & mask) : fmt::format("# {} {}: its old value is not known", address, name));
    add(remedy_.verify, shell_line({"setpci", "-s", address, name}));
    return *this;
}

RemedyBuilder& RemedyBuilder::kernel_arguments(const std::vector<std::string>& arguments,
                                               const std::vector<std::string>& remove) {
    const std::string added = joined(arguments), removed = joined(remove);
    switch (subject_.family) {
        case OsFamily::debian: {
            if (!remove.empty())
                note_lasting(fmt::format("take {} out of GRUB_CMDLINE_LINUX* in /etc/default/grub", removed));
            if (!arguments.empty()) {
                const std::string file =
                    fmt::format("/etc/default/grub.d/90-gpuadapt-{}.cfg", file_name(added.substr(0, 40)));
                lasting_file(file, fmt::format("GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {}\"", added));
            }
            add(remedy_.lasting, "update-grub");
            add(remedy_.lasting_undo, "update-grub");
            break;
        }
        case OsFamily::redhat: {
            std::vector<std::string> now = {"grubby", "--update-kernel=ALL"}, undo = now;
            if (!arguments.empty()) {
                now.push_back("--args=" + added);
                undo.push_back("--remove-args=" + added);
            }
            if (!remove.empty()) {
                now.push_back("--remove-args=" + removed);
                undo.push_back("--args=" + removed);
            }
            lasting_command(now, undo);
            note_lasting(
                "without grubby: GRUB_CMDLINE_LINUX in /etc/default/grub, then grub2-mkconfig -o /boot/grub2/grub.cfg");
            break;
        }
        case OsFamily::other:
            note_lasting(fmt::format(
                "the boot loader's kernel command line: {}{}{}{}", arguments.empty() ? "" : "add " + added,
                arguments.empty() || remove.empty() ? "" : ", ", remove.empty() ? "" : "take out ", removed));
            break;
    }
    note_lasting("then reboot");
    return verify({"cat", "/proc/cmdline"});
}

RemedyBuilder& RemedyBuilder::module_option(const std::string& module, const std::string& option) {
    return lasting_file(fmt::format("/etc/modprobe.d/gpuadapt-{}.conf", file_name(module)),
                        fmt::format("options {} {}", module, option));
}

RemedyBuilder& RemedyBuilder::command(const std::vector<std::string>& words, const std::vector<std::string>& undo) {
    add(remedy_.now, shell_line(words));
    if (!undo.empty())
        add(remedy_.now_undo, shell_line(undo));
    return *this;
}

RemedyBuilder& RemedyBuilder::lasting_command(const std::vector<std::string>& words,
                                              const std::vector<std::string>& undo) {
    add(remedy_.lasting, shell_line(words));
    if (!undo.empty())
        add(remedy_.lasting_undo, shell_line(undo));
    return *this;
}

RemedyBuilder& RemedyBuilder::lasting_file(const std::string& path, const std::string& text) {
    add(remedy_.lasting, write_line(text, path));
    add(remedy_.lasting_undo, shell_line({"rm", "-f", path}));
    return *this;
}

RemedyBuilder& RemedyBuilder::verify(const std::vector<std::string>& words) {
    add(remedy_.verify, shell_line(words));
    return *this;
}

RemedyBuilder& RemedyBuilder::firmware(const Text& text) {
    remedy_.firmware = Message(text);
    return *this;
}

RemedyBuilder& RemedyBuilder::note_now(std::string_view text) {
    add(remedy_.now, "# " + clean_utf8(text));
    return *this;
}

RemedyBuilder& RemedyBuilder::note_lasting(std::string_view text) {
    add(remedy_.lasting, "# " + clean_utf8(text));
    return *this;
}

Remedy RemedyBuilder::take() {
    return std::move(remedy_);
}

}  // namespace gpuadapt::check

// SPDX-License-Identifier: Apache-2.0
#include "probe/cpuinfo.hpp"

#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

void keep_first(std::optional<std::string>& field, std::string_view value) {
    if (!field && !value.empty())
        field = single_blanks(value);
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' '))
            return true;
    }
    return false;
}

std::string part_text(int implementer, int part) {
    const auto name = arm_part_name(implementer, part);
    return name ? std::string(*name) : fmt::format("implementer {:#04x} part {:#05x}", implementer, part);
}

/// One line; `implementer` is that of the CPU whose lines these are.
void take_line(std::string_view key, std::string_view value, std::optional<int>& implementer, CpuInfo& info) {
    if (key == "vendor_id") {
        keep_first(info.vendor, value);
    } else if (key == "model name" || key == "Model Name" || key == "cpu model") {
        keep_first(info.model, value);
    } else if (key == "microcode") {
        keep_first(info.microcode, value);
    } else if (key == "cpu family" && !info.family) {
        info.family = parse_int(value);
    } else if (key == "model" && !info.model_number) {
        info.model_number = parse_int(value);
    } else if (key == "flags" && !info.architecture) {
        info.architecture = has_word(value, "lm") ? "x86_64" : "i686";
        info.hypervisor = has_word(value, "hypervisor");
    } else if (key == "cpu") {  // PowerPC, SPARC
        keep_first(info.model, value);
        if (value.starts_with("POWER"))
            keep_first(info.vendor, "IBM");
    } else if (key == "CPU Family" && value.starts_with("Loongson")) {
        keep_first(info.architecture, "loongarch64");
        keep_first(info.vendor, "Loongson");
    } else if (key == "CPU architecture" && (value == "8" || value == "AArch64")) {
        keep_first(info.architecture, "aarch64");
    } else if (key == "CPU implementer") {
        const auto number = parse_hex(value);
        implementer = number && *number <= 0xff ? std::optional(static_cast<int>(*number)) : std::nullopt;
        if (const auto name = implementer ? arm_implementer_name(*implementer) : std::nullopt)
            keep_first(info.vendor, *name);
    } else if (key == "CPU part" && implementer) {
        const auto number = parse_hex(value);
        if (number && *number <= 0xfff)
            join_distinct(info.part, part_text(*implementer, static_cast<int>(*number)));
    }
}

}  // namespace

CpuInfo parse_cpuinfo(std::string_view text) {
    CpuInfo info;
    std::optional<int> implementer;
    for (const std::string_view line : split_lines(text))
        if (const auto pair = split_pair(line, ':'))
            take_line(pair->first, pair->second, implementer, info);
    return info;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/plain_text.hpp>
#include <gpuadapt/ingest/tool_errors.hpp>

#include <algorithm>
#include <iterator>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kMostErrors = 8;
constexpr std::size_t kLongestError = 200;
constexpr std::size_t kNone = std::string_view::npos;

/// What an error line of a tool looks like.
struct ErrorLine {
    std::string_view start;
    std::string_view part;  ///< stands somewhere behind it
};

constexpr ErrorLine kErrorLines[] = {
    {"/dev/mem: ", ""},
    {"/sys/firmware/dmi/", ": No such file or directory"},
    {"/sys/firmware/dmi/", ": Operation not permitted"},
    {"# No SMBIOS nor DMI entry point found", ""},
    {"No SMBIOS nor DMI entry point found", ""},
    {"pcilib: ", ""},
    {"NVIDIA-SMI has failed", ""},
    {"Failed to initialize NVML", ""},
    {"Unable to determine the device handle for GPU", ""},
    {"PARSE ERROR: Argument: ", ""},
    {"GPU#", " error: "},  // mx-smi, of one GPU
    {"ibpanic: ", ""},
    {"iberror: ", ""},
    {"Failed to get IB devices list", ""},
    {"Cannot get device settings: ", ""},
    {"Cannot get driver information: ", ""},
    {"netlink error: ", ""},
    {"zsh: command not found: ", ""},
};

/// Their own names stand in front of their errors: "lspci: Unable to ...", "bash: dmidecode: command not found".
constexpr std::string_view kTools[] = {"dmidecode", "lspci",        "lscpu",     "numactl",    "nvidia-smi", "mx-smi",
                                       "rocm-smi",  "ibstat",       "ibstatus",  "rdma",       "ethtool",    "mlnx_qos",
                                       "show_gids", "ibdev2netdev", "perfquery", "ibv_devinfo"};
constexpr std::string_view kFailures[] = {"not found",
                                          "No such file or directory",
                                          "ermission denied",
                                          "not permitted",
                                          "annot ",
                                          "nable to ",
                                          "ailed",
                                          "can't ",
                                          "rror"};

/// The same words after a colon are prose where no tool stands before it, and headings where none of them follows.
bool names_failed_tool(std::string_view line) {
    const std::size_t first = line.find(": ");
    if (first == kNone)
        return false;
    const auto is_tool = [](std::string_view word) {
        word = word.substr(word.rfind('/') + 1);
        return std::find(std::begin(kTools), std::end(kTools), word) != std::end(kTools);
    };
    std::string_view before = line.substr(0, first);
    std::string_view rest = line.substr(first + 2);
    // "bash: line 1: dmidecode: command not found", "sh: 1: lspci: not found"
    for (int shell = 0; shell < 3 && !is_tool(before); ++shell) {
        const std::size_t next = rest.find(": ");
        if (next == kNone)
            return false;
        before = rest.substr(0, next);
        rest = rest.substr(next + 2);
    }
    return is_tool(before) && std::any_of(std::begin(kFailures), std::end(kFailures),
                                          [rest](std::string_view words) { return rest.find(words) != kNone; });
}

bool is_error(std::string_view line) {
    if (line.starts_with("/dev/mem: ") && line.ends_with("Permission denied"))
        return false;
    return std::any_of(std::begin(kErrorLines), std::end(kErrorLines),
                       [line](const ErrorLine& row) {
                           return line.starts_with(row.start) && line.find(row.part, row.start.size()) != kNone;
                       }) ||
           names_failed_tool(line);
}

}  // namespace

std::vector<std::string> read_tool_errors(std::string_view text) {
    std::vector<std::string> errors;
    for (const std::string_view whole : text_lines(text)) {
        const std::string_view line = trim(whole);
        if (errors.size() == kMostErrors)
            break;
        if (line.size() > kLongestError || !is_error(line))
            continue;
        if (std::find(errors.begin(), errors.end(), line) == errors.end())
            errors.emplace_back(line);
    }
    return errors;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_preamble.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <array>

namespace gpuadapt::ingest {
namespace {

constexpr int kMostRanks = 1 << 20;
constexpr std::size_t kMostListed = 4096;  ///< ranks kept, to see one that comes twice
constexpr std::size_t kMostNames = 64;     ///< of hosts and of devices: each table of a log has all of them
constexpr std::size_t kLongestName = 100;
constexpr std::size_t kMostLibraries = 8;
constexpr std::size_t kLongestText = 400;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

std::optional<int> small_number(std::string_view word) {
    const auto number = parse_integer(word);
    return number && *number >= 0 && *number < kMostRanks ? std::optional<int>(static_cast<int>(*number))
                                                          : std::nullopt;
}

std::string_view text_after(std::string_view text, std::string_view part) {
    return trim(text.substr(text.find(part) + part.size()));
}

/// `---- mccl_test all_reduce_perf 8 ----`
bool read_banner(const std::vector<std::string_view>& words, LogPreamble& preamble) {
    if (words.size() < 5 || !starts_with(words[0], "----") || !starts_with(words[4], "----"))
        return false;
    const auto count = small_number(words[3]);
    if (!count || !collective_name(words[2]))
        return false;
    preamble = {};  // whatever stood before belongs to a run that never printed its header
    preamble.banner_tool = std::string(words[1]);
    preamble.banner_name = std::string(words[2]);
    preamble.banner_count = count;
    return true;
}

/// `nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 1 ...`
void read_options(std::string_view text, const std::vector<std::string_view>& words, LogPreamble& preamble) {
    preamble.options = text.substr(0, kLongestText);
    preamble.last_rank = -1;
    preamble.rank_twice = false;
    preamble.ranks.clear();
    preamble.hosts.clear();
    preamble.more_hosts = false;
    preamble.devices.clear();
    preamble.validation.reset();
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string_view name = words[i].back() == ':' ? words[i].substr(0, words[i].size() - 1) : words[i];
        if (name == "minBytes")
            preamble.min_bytes = parse_integer(words[i + 1]);
        else if (name == "maxBytes")
            preamble.max_bytes = parse_integer(words[i + 1]);
        else if (name == "validation")
            preamble.validation = parse_integer(words[i + 1]);
        else if (name == "step")
            preamble.additive_step = contains(words[i + 1], "(bytes)");
    }
}

/// `Rank  0 Group  0 Pid 42 on host device  0 [0000:0f:00] NVIDIA H200`; the group is missing in old versions.
bool read_device(std::string_view text, const std::vector<std::string_view>& words, std::size_t first,
                 LogPreamble& preamble) {
    if (words.size() < first + 6 || words[first] != "Rank")
        return false;
    const auto rank = small_number(words[first + 1]);
    if (!rank)
        return false;
    preamble.last_rank = std::max(preamble.last_rank, *rank);
    if (preamble.ranks.size() < kMostListed)
        preamble.rank_twice = !preamble.ranks.insert(*rank).second || preamble.rank_twice;
    for (std::size_t i = first + 2; i + 1 < words.size(); ++i) {
        if (words[i] == "on") {
            const std::string host(words[i + 1].substr(0, kLongestName));
            if (preamble.hosts.size() < kMostNames)
                preamble.hosts.insert(host);
            else if (!preamble.hosts.contains(host))
                preamble.more_hosts = true;
            break;
        }
    }
    const std::size_t bus_end = text.find("] ");
    if (bus_end == std::string_view::npos)
        return true;
    const std::string name(trim(text.substr(bus_end + 2)).substr(0, kLongestName));
    if (name != "host memory" && (preamble.devices.size() < kMostNames || preamble.devices.contains(name)))
        ++preamble.devices[name];
    return true;
}

void add_library(std::string_view text, LogPreamble& preamble) {
    std::vector<std::string>& libraries = preamble.libraries;
    text = text.substr(0, kLongestText);
    if (!text.empty() && libraries.size() < kMostLibraries &&
        std::find(libraries.begin(), libraries.end(), text) == libraries.end())
        libraries.emplace_back(text);
}

/// "# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22803" and the like of the others.
bool read_version(std::string_view text, const std::vector<std::string_view>& words, std::size_t first,
                  LogPreamble& preamble) {
    for (const std::string_view tool : {"nccl-tests", "rccl-tests", "gpuadapt"}) {
        if (words[first] == tool && words.size() > first + 2 && words[first + 1] == "version") {
            preamble.tool = std::string(tool);
            preamble.version = std::string(words[first + 2]);
            if (words.size() > first + 3)
                add_library(text_after(text, words[first + 2]), preamble);
            return true;
        }
    }
    if (starts_with(text, "rccl-tests: Version")) {
        preamble.tool = "rccl-tests";
        preamble.version = std::string(text_after(text, "Version"));
        return true;
    }
    return false;
}

bool read_library(std::string_view text, LogPreamble& preamble) {
    for (const std::string_view start : {"NCCL version", "RCCL version", "MCCL version", "HIP version", "ROCm version"})
        if (starts_with(text, start)) {
            add_library(text, preamble);
            return true;
        }
    return starts_with(text, "Hostname ") || starts_with(text, "Librccl path");
}

/// "/opt/maca-3.8.1" or "3.8.1": the folder that the test was built against has the version in its name.
void read_maca_version(std::string_view text, LogPreamble& preamble) {
    constexpr std::string_view kFolder = "maca-";
    text = text.substr(text.rfind('/') + 1);
    if (starts_with(text, kFolder))
        text.remove_prefix(kFolder.size());
    if (!text.empty())
        add_library("MACA " + std::string(text), preamble);
}

bool is_fault(std::string_view text) {
    static constexpr std::array<std::string_view, 9> kFaults = {
        "Test NCCL failure", "Test CUDA failure", "Test MCCL failure", "Test MACA failure", "Test HIP failure",
        ": Test failure ",   "Test timeout",      "NCCL failure ",     "# error:"};
    return std::any_of(kFaults.begin(), kFaults.end(),
                       [text](std::string_view fault) { return contains(text, fault); });
}

bool is_decoration(std::string_view text, const std::vector<std::string_view>& words) {
    if (text.find_first_not_of("#=-. ") == std::string_view::npos)
        return true;
    return contains(text, "out-of-place") || contains(text, "in-place") ||
           (words.size() <= 2 && words.back() == "kernel");
}

}  // namespace

LineKind read_preamble_line(std::string_view text, const std::vector<std::string_view>& words, LogPreamble& preamble) {
    if (words.empty() || is_decoration(text, words))
        return LineKind::decoration;
    if (read_banner(words, preamble))
        return LineKind::begin;
    if (is_fault(text))
        return LineKind::fault;
    // Web pages eat the '#', so it is looked through and not relied on.
    const std::size_t hashes = text.find_first_not_of("# ");
    const std::string_view body = hashes == std::string_view::npos ? std::string_view{} : text.substr(hashes);
    const std::size_t first = words[0].find_first_not_of('#') == std::string_view::npos && words.size() > 1 ? 1 : 0;
    if (starts_with(body, "gpuadapt: "))  // our own remark, which may hold any words
        return LineKind::decoration;
    if (starts_with(body, "nThread")) {
        read_options(trim(body), words, preamble);
        return LineKind::begin;
    }
    if (starts_with(body, "Collective test starting:")) {
        preamble.program = collective_name(text_after(body, "starting:"));
        return LineKind::begin;
    }
    if (starts_with(body, "The test is ")) {
        const std::string_view rest = body.substr(std::string_view("The test is ").size());
        preamble.program = collective_name(rest.substr(0, rest.find(',')));
        preamble.tool = "mccl_tests";
        if (contains(rest, "maca version is"))
            read_maca_version(text_after(rest, "maca version is"), preamble);
        return LineKind::begin;
    }
    if (starts_with(body, "Collective test concluded"))
        return LineKind::ending;
    if (starts_with(body, "last test has failed"))
        return LineKind::decoration;
    if (starts_with(body, "main_process =")) {
        preamble.tool = "mccl_tests";
        return LineKind::preamble;
    }
    if (read_version(body, words, first, preamble))
        return LineKind::begin;
    if (read_library(body, preamble) || starts_with(body, "Using devices") || starts_with(body, "Reducing maxBytes") ||
        starts_with(body, "Errors with asterisks") || starts_with(body, "Blocking Enabled") ||
        starts_with(body, "Parallel Init Enabled") || starts_with(body, "Per-Iteration Report") ||
        starts_with(body, "GPU memory usage") || read_device(body, words, first, preamble))
        return LineKind::preamble;
    return LineKind::other;
}

}  // namespace gpuadapt::ingest

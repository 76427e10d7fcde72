// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_reading.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace gpuadapt::ingest {

namespace {

/// A line is offered to the first column of all, then to the second one of the format that took the last line.
constexpr RdmaFormat kFormats[] = {
    {"ibstat", open_ibstat, read_ibstat},
    {"ibstatus", open_ibstatus, read_ibstatus},
    {"ibv_devinfo", open_ibv_devinfo, read_ibv_devinfo},
    {"rdma link", read_rdma_link, nullptr},
    {"rdma dev", read_rdma_dev, nullptr},
    {"ibdev2netdev", read_ibdev2netdev, nullptr},
    {"show_gids", open_show_gids, read_show_gids},
    {"perfquery", open_perfquery, read_perfquery},
    {"ethtool", open_ethtool, read_ethtool},
    {"ethtool -i", open_ethtool_driver, read_ethtool_driver},
    {"ethtool -S", open_ethtool_counters, read_ethtool_counters},
    {"ethtool -m", open_ethtool_module, read_ethtool_module},
    {"mlnx_qos", open_mlnx_qos, read_mlnx_qos},
    {"sysfs", open_sysfs, read_sysfs},
    {"kernel log", read_kernel_log, nullptr},
};

/// Commands whose arguments say what the lines below are about.
struct Command {
    enum class Names { nothing, device, interface };
    std::string_view program;
    std::string_view format;  ///< whose lines may follow without a heading; empty: none
    Names names;
};
constexpr Command kCommands[] = {
    {"ibstat", "ibstat", Command::Names::device},
    {"ibv_devinfo", "ibv_devinfo", Command::Names::device},
    {"ethtool", "ethtool -i", Command::Names::interface},
    {"mlnx_qos", "mlnx_qos", Command::Names::interface},
    {"ibstatus", "", Command::Names::nothing},
    {"rdma", "", Command::Names::nothing},
    {"show_gids", "", Command::Names::nothing},
    {"ibdev2netdev", "", Command::Names::nothing},
    {"perfquery", "", Command::Names::nothing},
};

const RdmaFormat* find_format(std::string_view tool) {
    const auto* const found =
        std::find_if(std::begin(kFormats), std::end(kFormats), [&](const RdmaFormat& row) { return row.tool == tool; });
    return found == std::end(kFormats) ? nullptr : found;
}

/// What pdsh, mpirun and the like put before each line: "node01: ", "[1,0]<stdout>:". 0: nothing like it.
std::size_t prefix_length(std::string_view line) {
    constexpr std::size_t kLongest = 64;
    const std::size_t close = line.starts_with('[') ? line.find("]<stdout>:") : std::string_view::npos;
    if (close < kLongest)
        return close + std::string_view("]<stdout>:").size();
    const std::size_t colon = line.find(": ");
    return colon < kLongest && colon > 0 && line.find_first_of(" \t'") > colon ? colon + 2 : 0;
}

/// Index of the program in "[root@h ~]# sudo ibv_devinfo -v"; the number of words when there is none.
std::size_t program_index(const std::vector<std::string_view>& words) {
    constexpr std::string_view kPromptEnds = "$#%>";
    std::size_t at = 0;
    while (at < words.size() && (words[at] == "sudo" || kPromptEnds.find(words[at].back()) != std::string_view::npos ||
                                 (at == 0 && words[at].front() == '[')))
        ++at;
    return at;
}

/// What the command asks about: the word behind -i or -d, else the first one that is no option.
std::string_view argument_of(const std::vector<std::string_view>& words, std::size_t program) {
    std::string_view first;
    for (std::size_t i = program + 1; i < words.size() && words[i] != "|"; ++i) {
        if ((words[i] == "-i" || words[i] == "-d") && i + 1 < words.size())
            return words[i + 1];
        if (first.empty() && words[i].front() != '-')
            first = words[i];
    }
    return first;
}

/// A command is shorter.
constexpr std::size_t kMostWords = 16;

class LineReader {
  public:
    void take(std::string_view raw) {
        if (trim(raw).empty())
            return;
        reading_.count_line();
        if (!prefix_.empty() && raw.starts_with(prefix_))
            raw.remove_prefix(prefix_.size());
        if (trim(raw).empty() || is_frame(trim(raw)) || take_line(raw))
            return;
        // The first prefix that is met is the host that is read: facts of two hosts must not become one machine.
        const std::size_t prefix = prefix_.empty() ? prefix_length(raw) : 0;
        if (prefix > 0 && !trim(raw.substr(prefix)).empty() && take_heading(line_of(raw.substr(prefix))))
            prefix_ = raw.substr(0, prefix);
        else
            reading_.not_understood(raw);
    }
    [[nodiscard]] RdmaState finish() && { return std::move(reading_).finish(); }

  private:
    static RdmaLine line_of(std::string_view raw) { return {trim(raw), raw.front() == ' ' || raw.front() == '\t'}; }

    /// Fences of Markdown.
    static bool is_frame(std::string_view text) { return text.starts_with("```"); }

    bool take_line(std::string_view raw) {
        const RdmaLine line = line_of(raw);
        if (take_heading(line))
            return true;
        const std::size_t facts = reading_.added();
        if (open_ == nullptr || open_->goes_on == nullptr || !open_->goes_on(line, reading_))
            return false;
        return take_format(*open_, facts);
    }

    bool take_format(const RdmaFormat& format, std::size_t facts_before) {
        open_ = &format;
        if (reading_.added() > facts_before)
            reading_.found(format.tool);
        return true;
    }

    bool take_heading(const RdmaLine& line) {
        const std::size_t facts = reading_.added();
        if (take_command(line.text))
            return true;
        for (const RdmaFormat& format : kFormats)
            if (format.opens(line, reading_))
                return take_format(format, facts);
        return false;
    }

    /// "$ ethtool -S ens1", "mlnx_qos -i ens1 --trust dscp".
    bool take_command(std::string_view text) {
        const std::vector<std::string_view> words = words_of(text, kMostWords);
        const std::size_t at = program_index(words);
        if (at == words.size())
            return false;
        const std::string_view program = words[at].substr(words[at].rfind('/') + 1);
        const auto* const command = std::find_if(std::begin(kCommands), std::end(kCommands),
                                                 [&](const Command& row) { return row.program == program; });
        if (command == std::end(kCommands))
            return false;
        const std::string_view argument = argument_of(words, at);
        reading_.begin_command(command->names == Command::Names::device ? argument : "",
                               command->names == Command::Names::interface ? argument : "");
        open_ = find_format(command->format);
        return true;
    }

    RdmaReading reading_;
    const RdmaFormat* open_ = nullptr;
    std::string prefix_;
};

}  // namespace

RdmaState read_rdma_state(std::string_view text) {
    const std::string plain = plain_text(text);
    LineReader reader;
    for (const std::string_view line : text_lines(plain))
        reader.take(line);
    return std::move(reader).finish();
}

bool looks_like_rdma_state(std::string_view text) {
    return !read_rdma_state(text).tools.empty();
}

}  // namespace gpuadapt::ingest

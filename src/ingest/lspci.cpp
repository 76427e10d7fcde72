// SPDX-License-Identifier: Apache-2.0
#include "ingest/lspci_block.hpp"
#include "ingest/lspci_names.hpp"
#include "ingest/lspci_tree.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/lspci.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <map>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMostBlockBytes = std::size_t{1} << 16;
constexpr std::size_t kMostConfigBytes = 4096;
constexpr std::string_view kHexDigits = "0123456789abcdef";

/// "0000:3a:00.0" or "3a:00.0" at the start of a line: its full form; "" for anything else. `size` is what it took.
std::string address_at(std::string_view line, std::size_t& size) {
    size = line.find(' ');
    if (size == kNone)
        return "";
    const std::string_view word = line.substr(0, size);
    if (word.size() < 7 || word[word.size() - 2] != '.' || word.back() < '0' || word.back() > '7' ||
        word[word.size() - 5] != ':')
        return "";
    const std::string_view place = word.substr(word.size() - 7);
    const std::string_view domain = word.substr(0, word.size() - 7);
    const auto hex = [](std::string_view text) { return text.find_first_not_of(kHexDigits) == kNone; };
    if (!hex(place.substr(0, 2)) || !hex(place.substr(3, 2)))
        return "";
    if (domain.empty())
        return "0000:" + std::string(place);
    if (domain.size() < 5 || domain.size() > 9 || domain.back() != ':' || !hex(domain.substr(0, domain.size() - 1)))
        return "";
    return std::string(word);
}

/// A line of a hex dump: "10: 00 00 08 ..."; its offset, and the bytes appended to `bytes`.
std::optional<std::size_t> hex_line(std::string_view line, std::string& bytes) {
    line = trim(line);
    const std::size_t colon = line.find(": ");
    const auto offset = colon == kNone || colon < 2 || colon > 3 ? std::nullopt : hex_number(line.substr(0, colon));
    if (!offset || *offset % 16 != 0)
        return std::nullopt;
    std::string read;
    for (std::string_view rest = trim(line.substr(colon + 2)); !rest.empty();) {
        const auto value = hex_number(rest.substr(0, 2));
        if (!value || rest.size() < 2 || (rest.size() > 2 && rest[2] != ' ') || read.size() == 16)
            return std::nullopt;
        read += static_cast<char>(*value);
        rest = trim(rest.substr(2));
    }
    bytes = read;
    return static_cast<std::size_t>(*offset);
}

/// In a wrapped header the rest stands in the next line: ids, revision, the end of a pair of brackets.
bool header_goes_on(std::string_view header, std::string_view next) {
    const auto unclosed = [&](char opening, char closing) {
        return std::count(header.begin(), header.end(), opening) > std::count(header.begin(), header.end(), closing);
    };
    return next.starts_with('[') || next.starts_with("(rev ") || next.starts_with("(prog-if ") || unclosed('[', ']') ||
           unclosed('(', ')') || header.ends_with(':');
}

class Reader {
  public:
    std::vector<LspciDevice> read(std::string_view text) {
        const auto lines = text_lines(text);
        for (number_ = 0; number_ < lines.size() && devices_.size() < kMostLspciDevices; ++number_) {
            std::string_view line = lines[number_];
            if (is_mark(line))
                line.remove_prefix(1);
            if (take_header(trim(line), lines) || take_tree(line) || take_hex(line))
                continue;
            take_body(line);
        }
        close();
        find_parents();
        return std::move(devices_);
    }

  private:
    /// A '+' or '-' of a diff.
    static bool is_mark(std::string_view line) {
        return line.size() > 1 && (line[0] == '+' || line[0] == '-') && (line[1] == ' ' || line[1] == '\t');
    }

    bool take_header(std::string_view line, const std::vector<std::string_view>& lines) {
        std::size_t size = 0;
        const std::string address = address_at(line, size);
        if (address.empty())
            return false;
        std::string header(trim(line.substr(size)));
        std::size_t last = number_;
        // Two lines at most: whatever comes later is no header any more.
        while (last + 1 < lines.size() && last < number_ + 2 && header_goes_on(header, trim(lines[last + 1])))
            header += " " + std::string(trim(lines[++last]));
        LspciDevice found;
        found.device.address = address;
        if (header.size() > 1024 || !take_lspci_header(header, found.device))
            return false;
        close();
        found.detail = LspciDetail::line;
        found.line = number_ + 1;
        found.answers = !lspci_revision_is_ff(header);
        devices_.push_back(std::move(found));
        open_ = true;
        blank_ = false;
        number_ = last;
        return true;
    }

    bool take_tree(std::string_view line) {
        const auto nodes = tree_.take(line);
        for (const LspciTree::Node& node : nodes) {
            close();
            LspciDevice found;
            found.device.address = node.address;
            found.device.parent = node.parent;
            found.line = number_ + 1;
            if (!node.name.empty())
                take_lspci_name(node.name, found.device);
            devices_.push_back(std::move(found));
        }
        return !nodes.empty();
    }

    bool take_hex(std::string_view line) {
        std::string bytes;
        const auto offset = open_ ? hex_line(line, bytes) : std::nullopt;
        if (!offset)
            return false;
        std::string& config = devices_.back().config;
        // After a gap the place of the bytes is known, but what is missing would look like zeros.
        if (*offset == config.size() && config.size() + bytes.size() <= kMostConfigBytes)
            config += bytes;
        blank_ = false;
        return true;
    }

    void take_body(std::string_view line) {
        const std::string_view text = trim(line);
        if (text.empty()) {
            blank_ = true;
            return;
        }
        // After an empty line only what is indented or begins with a keyword can still belong to the device.
        const bool indented = line[0] == ' ' || line[0] == '\t';
        if (open_ && blank_ && !indented && !is_lspci_keyword_line(text))
            close();
        if (open_ && (text.starts_with("```") || text.starts_with("$ ") || text.starts_with("# ")))
            close();
        blank_ = false;
        if (!open_ || block_.size() + text.size() > kMostBlockBytes)
            return;
        for (const char c : text)  // "LnkCap:<tab>Port #0" and wrapped lines have the same form then
            if (const char one = c == '\t' ? ' ' : c; one != ' ' || !block_.ends_with(' '))
                block_ += one;
        block_ += ' ';
    }

    void close() {
        if (open_) {
            std::optional<int> secondary;
            LspciDevice& device = devices_.back();
            take_lspci_block(block_, device, secondary);
            if (secondary)
                bridges_.emplace(bus_of(device.device.address, *secondary), device.device.address);
        }
        block_.clear();
        open_ = false;
    }

    /// "0000:02" of a bus in the domain of an address.
    static std::string bus_of(const std::string& address, int bus) {
        const std::string domain = address.substr(0, address.size() - 7);
        return domain + kHexDigits[static_cast<std::size_t>(bus >> 4)] + kHexDigits[static_cast<std::size_t>(bus & 15)];
    }

    /// The bridge above is the one with that secondary bus.
    void find_parents() {
        for (LspciDevice& device : devices_) {
            const std::string& address = device.device.address;
            const auto bridge = bridges_.find(address.substr(0, address.size() - 5));
            if (!device.device.parent && bridge != bridges_.end() && bridge->second != address)
                device.device.parent = bridge->second;
        }
    }

    std::vector<LspciDevice> devices_;
    std::map<std::string, std::string> bridges_;  ///< "0000:02" -> address
    LspciTree tree_;
    std::string block_;
    std::size_t number_ = 0;
    bool open_ = false;   ///< the last device still takes lines
    bool blank_ = false;  ///< the line before was empty
};

}  // namespace

std::vector<LspciDevice> read_lspci(std::string_view text) {
    return Reader().read(text);
}

}  // namespace gpuadapt::ingest

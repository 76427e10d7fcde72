// SPDX-License-Identifier: Apache-2.0
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/topo_matrix.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace gpuadapt::ingest {
namespace {

constexpr std::size_t kMostNames = 512;
constexpr std::size_t kLongestLine = 65536;
constexpr std::size_t kLongestWord = 64;

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A line without escape sequences (ECMA-48: ESC [ ... final byte; others two bytes) and table rules.
std::string plain(std::string_view line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            text += line[i] == '|' ? ' ' : line[i];
            continue;
        }
        if (++i < line.size() && line[i] == '[')
            while (++i < line.size() && (line[i] < '@' || line[i] > '~')) {
            }
    }
    return text;
}

bool is_gpu(std::string_view word) {
    return word.size() <= kLongestWord && word.starts_with("GPU") && is_digits(word.substr(3));
}

/// GPU0, NIC3, or a device's own name: mlx5_0, bnxt_re0, rocep24s0. The first words of other columns are no such names.
bool is_name(std::string_view word) {
    if (word.empty() || word.size() > kLongestWord || word.back() < '0' || word.back() > '9')
        return false;
    const char first = word.front();
    return ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) &&
           std::all_of(word.begin(), word.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
           });
}

bool is_class(std::string_view word) {
    static constexpr std::array<std::string_view, 13> kClasses = {"X",  "SYS", "SOC", "NODE", "PHB",  "PXB", "PIX",
                                                                  "MX", "ETH", "NA",  "N/A",  "XGMI", "PCIE"};
    return std::find(kClasses.begin(), kClasses.end(), word) != kClasses.end() ||
           (word.size() > 2 && word.size() < 8 && (word.starts_with("NV") || word.starts_with("MX")) &&
            is_digits(word.substr(2)));
}

bool is_capability(std::string_view word) {
    static constexpr std::array<std::string_view, 7> kCapabilities = {"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"};
    return std::find(kCapabilities.begin(), kCapabilities.end(), word) != kCapabilities.end();
}

bool is_cell(std::string_view word) {
    return is_class(word) || is_capability(word) || (word.size() < 8 && is_digits(word));
}

/// One matrix as it is being read.
struct Draft {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> cells;

    template <class Is>
    [[nodiscard]] bool has(Is is) const {
        for (std::size_t row = 0; row < cells.size(); ++row)
            for (std::size_t column = 0; column < cells[row].size(); ++column)
                if (row != column && is(cells[row][column]))
                    return true;
        return false;
    }
    /// Capabilities and, of rocm-smi, weights and hops have the same form, but are no classes of links.
    [[nodiscard]] bool tells_links() const {
        const bool one_device = names.size() == 1 && !cells[0].empty() && cells[0][0] == "X";
        return one_device || (has(is_class) && !has(is_digits));
    }
};

class Reader {
  public:
    void line(std::string_view text) {
        const std::string clean = plain(text);
        const std::vector<std::string_view> words = words_of(clean);
        if (words.empty() || take_legend(words) || take_header(words))
            return;
        take_row(words);
    }

    [[nodiscard]] std::optional<TopologyMatrix> finish() const {
        const Draft* best = nullptr;
        for (const Draft& draft : drafts_) {
            if (best == nullptr && draft.tells_links())
                best = &draft;
        }
        if (best == nullptr)
            return std::nullopt;
        TopologyMatrix matrix;
        matrix.names = best->names;
        matrix.cells = best->cells;
        for (std::size_t i = 0; i < matrix.cells.size(); ++i)
            if (i < matrix.cells[i].size() && matrix.cells[i][i] == "0")
                matrix.cells[i][i] = "X";
        for (const auto& [name, device] : legend_)
            if (std::find(matrix.names.begin(), matrix.names.end(), name) != matrix.names.end())
                matrix.legend.emplace(name, device);
        return matrix;
    }

  private:
    /// "NIC0: mlx5_0"
    bool take_legend(const std::vector<std::string_view>& words) {
        if (words.size() != 2 || !words[0].starts_with("NIC") || !words[0].ends_with(":") ||
            words[1].size() > kLongestWord || words[0].size() > kLongestWord)
            return false;
        legend_.emplace_back(words[0].substr(0, words[0].size() - 1), clean_utf8(words[1]));
        return true;
    }

    /// Names of the columns: a GPU first, and then anything but a cell. A name that comes again begins a matrix that
    /// stands beside. Markdown writes "GPU" above the names of the rows.
    bool take_header(const std::vector<std::string_view>& words) {
        std::size_t at = words[0] == "GPU" ? 1 : 0;
        if (at >= words.size() || !is_gpu(words[at]) || (at + 1 < words.size() && is_cell(words[at + 1])))
            return false;
        std::vector<Draft> found(1);
        for (; at < words.size() && is_name(words[at]); ++at) {
            if (contains(found.back().names, words[at]))
                found.emplace_back();
            if (found.back().names.size() == kMostNames)
                return true;
            found.back().names.emplace_back(words[at]);
        }
        first_ = drafts_.size();
        for (Draft& draft : found) {
            draft.cells.resize(draft.names.size());
            if (drafts_.size() < kMostNames)
                drafts_.push_back(std::move(draft));
        }
        return true;
    }

    /// "GPU0 X NV2 0-23 N/A": as many cells as there are names, then the affinities.
    void take_row(const std::vector<std::string_view>& words) {
        std::size_t at = 0;
        for (std::size_t k = first_; k < drafts_.size() && at < words.size(); ++k) {
            Draft& draft = drafts_[k];
            const auto name = std::find(draft.names.begin(), draft.names.end(), words[at]);
            if (name == draft.names.end())
                return;
            auto& row = draft.cells[static_cast<std::size_t>(name - draft.names.begin())];
            if (!row.empty())
                return;  // a second matrix without its header
            for (++at; at < words.size() && row.size() < draft.names.size() && is_cell(words[at]); ++at)
                row.emplace_back(words[at]);
        }
    }

    static bool contains(const std::vector<std::string>& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    std::vector<Draft> drafts_;
    std::size_t first_ = 0;  ///< of the matrices whose rows come now
    std::vector<std::pair<std::string, std::string>> legend_;
};

}  // namespace

std::optional<TopologyMatrix> read_topology_matrix(std::string_view text) {
    Reader reader;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end - at <= kLongestLine)
            reader.line(text.substr(at, end - at));
        at = end + 1;
    }
    return reader.finish();
}

}  // namespace gpuadapt::ingest

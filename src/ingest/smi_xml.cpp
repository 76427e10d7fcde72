// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_tree.hpp"

#include <gpuadapt/core/text.hpp>

#include <array>
#include <utility>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kMaxDepth = 16;

/// The five entities that XML has without being told.
std::string without_entities(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string plain;
    while (!text.empty()) {
        std::size_t length = 1;
        char character = text.front();
        if (character == '&')
            for (const auto& [name, meaning] : kEntities)
                if (text.starts_with(name)) {
                    length = name.size();
                    character = meaning;
                    break;
                }
        plain += character;
        text.remove_prefix(length);
    }
    return plain;
}

std::string_view attribute(std::string_view tag, std::string_view name) {
    const std::size_t at = tag.find(name);
    if (at == std::string_view::npos)
        return {};
    const std::string_view value = tag.substr(at + name.size());
    return value.substr(0, value.find('"'));
}

/// Walks through tags and texts.
class Reader {
  public:
    SmiTree read(std::string_view text) {
        while (true) {
            const std::size_t open = text.find('<');
            text_ = open == std::string_view::npos ? std::string_view{} : trim(text.substr(0, open));
            const std::size_t close = open == std::string_view::npos ? open : text.find('>', open);
            if (close == std::string_view::npos)
                return std::move(tree_);
            tag(text.substr(open + 1, close - open - 1));
            text.remove_prefix(close + 1);
        }
    }

  private:
    void tag(std::string_view tag) {
        if (tag.starts_with('?') || tag.starts_with('!'))
            return;
        if (tag.starts_with('/'))
            end();
        else if (!tag.ends_with('/') && path_.size() < kMaxDepth)
            begin(tag);
    }

    void begin(std::string_view tag) {
        const std::string word = path_word(tag.substr(0, tag.find(' ')));
        if (word == "gpu" && path_.size() == 1) {
            tree_.devices.push_back({clean_utf8(attribute(tag, " id=\"")), {}});
            in_device_ = true;
        }
        path_.push_back(word);
        leaf_ = true;
    }

    /// An element in which another one was is a title and no value.
    void end() {
        if (path_.empty())
            return;
        const std::size_t above = in_device_ ? 2 : 1;
        if (leaf_ && path_.size() > above) {
            std::string path;
            for (std::size_t i = above; i < path_.size(); ++i)
                path += (i > above ? "/" : "") + path_[i];
            add_value(in_device_ ? tree_.devices.back().values : tree_.values, path, without_entities(text_));
        }
        leaf_ = false;
        path_.pop_back();
        if (path_.size() == 1)
            in_device_ = false;
    }

    SmiTree tree_;
    std::vector<std::string> path_;
    std::string_view text_;
    bool in_device_ = false;
    bool leaf_ = false;
};

}  // namespace

SmiTree read_smi_xml(std::string_view text) {
    return Reader().read(text);
}

}  // namespace gpuadapt::ingest

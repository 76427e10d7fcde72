// SPDX-License-Identifier: Apache-2.0
#include "ingest/utf16.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::optional<std::string> from_utf16(std::string_view raw) {
    const auto form = utf16_form(raw);
    if (!form)
        return std::nullopt;
    std::string text;
    text.reserve(raw.size());
    Utf16Decoder(form->big_endian).decode(raw.substr(form->mark), text);
    return text;
}

/// Tags that mail programs and forums write. Others are left: lspci prints "<access denied>", "<MAbort- >SERR-".
constexpr std::array<std::string_view, 38> kTags = {
    "a",     "b",   "blockquote", "body",  "br",    "code", "div",  "em",    "font",  "h1",  "h2", "h3",   "h4",
    "head",  "hr",  "html",       "i",     "img",   "li",   "meta", "ol",    "p",     "pre", "s",  "span", "strong",
    "style", "sub", "sup",        "table", "tbody", "td",   "th",   "thead", "title", "tr",  "u",  "ul",
};

/// Those that end a line.
constexpr std::array<std::string_view, 12> kBreaks = {"br",  "/p",  "/div", "/li",  "/tr",    "/h1",
                                                      "/h2", "/h3", "/h4",  "/pre", "/title", "hr"};

bool contains(const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// "br", "/p" of the tag that begins at `at`, in small letters; empty when it is no tag that we know.
std::string tag_name(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    if (end < text.size() && text[end] == '/')
        ++end;
    while (end < text.size() && end < at + 14 && std::isalnum(static_cast<unsigned char>(text[end])) != 0)
        ++end;
    std::string name(text.substr(at + 1, end - at - 1));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string_view bare = name.starts_with('/') ? std::string_view(name).substr(1) : name;
    const bool ends = end < text.size() && std::string_view(" \t\r\n/>").find(text[end]) != kNone;
    return ends && contains(kTags, bare) ? name : "";
}

bool is_html(std::string_view text) {
    return text.find("</p>") != kNone || text.find("</div>") != kNone || text.find("<br>") != kNone ||
           text.find("<br/>") != kNone || text.find("</span>") != kNone || text.find("</pre>") != kNone ||
           text.find("</html>") != kNone;
}

/// Appends what the entity at `at` stands for and gives its length; 0 when there is none.
std::size_t take_entity(std::string_view text, std::size_t at, std::string& out) {
    struct Entity {
        std::string_view name, text;
    };
    constexpr std::array<Entity, 6> kEntities = {
        {{"&nbsp;", " "}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&apos;", "'"}}};
    const std::string_view rest = text.substr(at, 10);
    for (const Entity& entity : kEntities)
        if (rest.starts_with(entity.name)) {
            out += entity.text;
            return entity.name.size();
        }
    if (!rest.starts_with("&#"))
        return 0;
    const std::size_t end = rest.find(';');
    std::uint32_t code = 0;
    for (std::size_t i = 2; i < end && i < rest.size(); ++i) {
        if (rest[i] < '0' || rest[i] > '9')
            return 0;
        code = code * 10 + static_cast<std::uint32_t>(rest[i] - '0');
    }
    if (end == kNone || code == 0 || code > 0xffff)
        return 0;
    append_utf8(code == 0xa0 ? ' ' : code, out);
    return end + 1;
}

std::string without_html(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '<') {
            const std::string name = tag_name(text, at);
            // A '>' of a tag stands within the next few hundred bytes; looking further would cost square time.
            const std::size_t end = name.empty() ? kNone : text.substr(at, 4096).find('>');
            if (end != kNone) {
                if (contains(kBreaks, name))
                    out += '\n';
                at += end + 1;
                continue;
            }
        } else if (text[at] == '&') {
            if (const std::size_t length = take_entity(text, at, out); length != 0) {
                at += length;
                continue;
            }
        }
        out += text[at++];
    }
    return out;
}

/// ECMA-48: ESC [ parameters letter.
std::size_t escape_length(std::string_view rest) {
    std::size_t end = 2;
    while (end < rest.size() && end < 32 && (rest[end] < '@' || rest[end] > '~'))
        ++end;
    return std::min(end + 1, rest.size());
}

/// "> > 00:01.0 ..." without the quote marks and one blank behind them.
std::string_view without_quotes(std::string_view line) {
    std::size_t start = 0;
    for (std::size_t at = 0; at < line.size() && (line[at] == '>' || line[at] == ' '); ++at)
        if (line[at] == '>')
            start = at + 1;
    if (start == 0)
        return line;
    return line.substr(line.substr(start).starts_with(' ') ? start + 1 : start);
}

/// One kind of line end, no control characters but tabs, no escape sequences.
std::string plain_lines(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\x1b' && at + 1 < text.size() && text[at + 1] == '[') {
            at += escape_length(text.substr(at));
            continue;
        }
        if (text.substr(at, 2) == "\xc2\xa0") {  // a blank that does not break a line
            out += ' ';
            at += 2;
            continue;
        }
        if (c == '\r')
            out += at + 1 < text.size() && text[at + 1] == '\n' ? "" : "\n";
        else if (c == '\n' || c == '\t')
            out += c;
        else
            out += static_cast<unsigned char>(c) < 0x20 || c == '\x7f' ? ' ' : c;
        ++at;
    }
    return out;
}

/// A last line without an end may have been cut inside of a value. One that stands alone has been given on purpose, and
/// a '}' is the end of a JSON document, which nothing needs to follow.
bool is_cut(std::string_view text) {
    const std::size_t end = text.rfind('\n');
    const std::string_view last = end == kNone ? std::string_view() : trim(text.substr(end + 1));
    return !last.empty() && !last.ends_with('}') && !trim(text.substr(0, end)).empty();
}

}  // namespace

std::vector<std::string_view> text_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == kNone ? text.size() : end + 1);
    }
    return lines;
}

PlainText read_plain_text(std::string_view raw) {
    std::string text;
    if (auto wide = from_utf16(raw))
        text = std::move(*wide);
    else
        text = raw.starts_with("\xef\xbb\xbf") ? raw.substr(3) : raw;
    text = plain_lines(text);
    if (is_html(text))
        text = without_html(text);
    PlainText plain;
    plain.cut = is_cut(text);
    plain.text.reserve(text.size());
    auto lines = text_lines(text);
    if (plain.cut)
        lines.pop_back();
    for (const std::string_view line : lines) {
        plain.text += is_utf8(line) ? std::string(without_quotes(line)) : clean_utf8(without_quotes(line));
        plain.text += '\n';
    }
    return plain;
}

std::string plain_text(std::string_view raw) {
    return read_plain_text(raw).text;
}

}  // namespace gpuadapt::ingest

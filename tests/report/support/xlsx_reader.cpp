// SPDX-License-Identifier: Apache-2.0
#include "report/support/xlsx_reader.hpp"

#include <memory>
#include <stdexcept>

#include <archive.h>
#include <archive_entry.h>

namespace gpuadapt::test {
namespace {

std::map<std::string, std::string> read_zip(const std::string& path) {
    const std::unique_ptr<archive, decltype(&archive_read_free)> zip(archive_read_new(), &archive_read_free);
    archive_read_support_format_zip_seekable(zip.get());
    if (archive_read_open_filename(zip.get(), path.c_str(), 65536) != ARCHIVE_OK)
        throw std::runtime_error(path + ": no ZIP archive");
    std::map<std::string, std::string> parts;
    archive_entry* entry = nullptr;
    while (archive_read_next_header(zip.get(), &entry) == ARCHIVE_OK) {
        std::string& part = parts[archive_entry_pathname(entry)];
        std::vector<char> piece(65536);
        la_ssize_t got = 0;
        while ((got = archive_read_data(zip.get(), piece.data(), piece.size())) > 0)
            part.append(piece.data(), static_cast<std::size_t>(got));
        if (got < 0)
            throw std::runtime_error(path + ": damaged");
    }
    return parts;
}

std::string unescaped(std::string text) {
    for (const auto& [from, to] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
            text.replace(at, std::string(from).size(), to);
    return text;
}

/// Value of an attribute in a tag; empty when it has none.
std::string attribute(const std::string& tag, const std::string& name) {
    const std::size_t at = tag.find(" " + name + "=\"");
    if (at == std::string::npos)
        return "";
    const std::size_t begin = at + name.size() + 3;
    return unescaped(tag.substr(begin, tag.find('"', begin) - begin));
}

/// Text between the tag that begins with `open` and `close`.
std::string inside(const std::string& text, const std::string& open, const std::string& close) {
    const std::size_t tag = text.find(open);
    if (tag == std::string::npos)
        return "";
    const std::size_t begin = text.find('>', tag) + 1;
    return text.substr(begin, text.find(close, begin) - begin);
}

void read_cells(const std::string& xml, ReadSheet& sheet) {
    for (std::size_t at = xml.find("<c r="); at != std::string::npos; at = xml.find("<c r=", at + 1)) {
        const std::size_t tag_end = xml.find('>', at);
        const std::string tag = xml.substr(at, tag_end - at);
        ReadCell cell;
        cell.type = attribute(tag, "t");
        if (xml[tag_end - 1] != '/') {
            const std::string body = xml.substr(tag_end + 1, xml.find("</c>", tag_end) - tag_end - 1);
            cell.formula = body.find("<f") != std::string::npos;
            cell.value = unescaped(cell.type == "inlineStr" ? inside(body, "<t", "</t>") : inside(body, "<v", "</v>"));
        }
        sheet.cells[attribute(tag, "r")] = cell;
    }
}

}  // namespace

const ReadSheet& ReadBook::sheet(const std::string& name) const {
    for (const ReadSheet& own : sheets)
        if (own.name == name)
            return own;
    throw std::runtime_error("no sheet " + name);
}

std::string ReadBook::value(const std::string& sheet_name, const std::string& place) const {
    const auto& cells = sheet(sheet_name).cells;
    const auto found = cells.find(place);
    return found == cells.end() ? "" : found->second.value;
}

ReadBook read_book(const std::string& path) {
    ReadBook book;
    book.parts = read_zip(path);
    const std::string& list = book.parts.at("xl/workbook.xml");
    for (std::size_t at = list.find("<sheet name="); at != std::string::npos; at = list.find("<sheet name=", at + 1)) {
        ReadSheet sheet;
        sheet.name = attribute(list.substr(at, list.find('>', at) - at), "name");
        const std::string part = "xl/worksheets/sheet" + std::to_string(book.sheets.size() + 1) + ".xml";
        const std::string& xml = book.parts.at(part);
        if (xml.find("</worksheet>") == std::string::npos)
            throw std::runtime_error(part + ": cut off");
        read_cells(xml, sheet);
        book.sheets.push_back(std::move(sheet));
    }
    return book;
}

}  // namespace gpuadapt::test

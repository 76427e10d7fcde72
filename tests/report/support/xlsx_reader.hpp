// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

/// A reader of workbooks that shares nothing with what writes them: libarchive opens the ZIP, and a few lines look for
/// cells.
namespace gpuadapt::test {

struct ReadCell {
    std::string type;   ///< "inlineStr", "n", ...; empty for a number or an empty cell
    std::string value;  ///< text or number as it stands; empty for an empty cell
    bool formula = false;
};

struct ReadSheet {
    std::string name;
    std::map<std::string, ReadCell> cells;  ///< "B7" -> cell
};

struct ReadBook {
    std::map<std::string, std::string> parts;  ///< of the ZIP, by name
    std::vector<ReadSheet> sheets;
    [[nodiscard]] const ReadSheet& sheet(const std::string& name) const;
    [[nodiscard]] std::string value(const std::string& sheet_name, const std::string& place) const;
};

/// Throws std::runtime_error when the file is no whole workbook.
[[nodiscard]] ReadBook read_book(const std::string& path);

}  // namespace gpuadapt::test

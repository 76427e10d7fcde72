// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::ingest {

struct PlainText {
    std::string text;  ///< lines, each with its end
    bool cut = false;  ///< the last line had no end, and was left out
};

/// The output of a tool without what mail, browser and terminal have put around it, so that readers of such outputs
/// need not know about that: line ends of Windows and Macintosh, a byte order mark, UTF-16 (also without the mark),
/// escape sequences of a terminal, quote marks of mail ("> > "), and, where the text is HTML, tags and entities. NUL
/// and bytes that are no UTF-8 become blanks or U+FFFD. The number of lines may change; blanks inside a line stay.
/// Takes any bytes; time and memory are linear in them.
///
/// A last line without an end is left out: "Size: 32" may be the start of "Size: 32 GB". A text of one line stays, and
/// so does the '}' that ends a JSON document.
[[nodiscard]] PlainText read_plain_text(std::string_view raw);

/// The text of that.
[[nodiscard]] std::string plain_text(std::string_view raw);

/// The lines of it, without line ends.
[[nodiscard]] std::vector<std::string_view> text_lines(std::string_view text);

}  // namespace gpuadapt::ingest

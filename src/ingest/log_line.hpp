// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// One line of a log: what launchers and terminals put around it, its words, and its numbers as they are printed.
namespace gpuadapt::ingest {

/// `line` without terminal escapes (ECMA-48), other control bytes as blanks.
[[nodiscard]] std::string clean_line(std::string_view line);

/// `line` without what mpirun, srun, kubectl, syslog and mail quoting put in front of it, and without leading blanks.
/// Takes off only what it knows; "[1,0]<stdout>:", "0: ", "[pod/a/b] ", "> ", a time stamp.
[[nodiscard]] std::string_view without_prefix(std::string_view line);

/// Words between blanks.
void split_words(std::string_view line, std::vector<std::string_view>& words);

/// A number as printed: the value lies within `value` +- `half_unit` of what the program had.
struct Printed {
    double value = 0;
    double half_unit = 0;
    [[nodiscard]] double low() const { return value - half_unit; }
    [[nodiscard]] double high() const { return value + half_unit; }
};

/// nullopt unless `word` is a finite decimal number, e.g. "17.09", "86026", "1.2e+04". `power` moves its point: of
/// "9950.00" with -3 the value is that of "9.95", which a multiplication would miss by the last bit.
[[nodiscard]] std::optional<Printed> printed_number(std::string_view word, int power = 0);

/// A whole number; '_' between digits as people write it ("1_048_576") is skipped.
[[nodiscard]] std::optional<std::int64_t> printed_integer(std::string_view word);

/// Size of a type name of nccl-tests or rccl-tests in bytes; nullopt for other words.
[[nodiscard]] std::optional<int> type_bytes(std::string_view name);

/// True for the operation names of nccl-tests.
[[nodiscard]] bool is_redop(std::string_view word);

/// True when the library wrote the line (NCCL_DEBUG=INFO and the like).
[[nodiscard]] bool is_library_line(std::string_view line);

}  // namespace gpuadapt::ingest

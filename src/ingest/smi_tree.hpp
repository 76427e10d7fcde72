// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The output of GPU vendors' tools, whatever its form, as values below titles. Each reader takes any bytes; time and
/// memory are linear in them.
namespace gpuadapt::ingest {

/// "fb_memory_usage/total" -> "81559 MiB". Titles and keys in small letters, other characters but letters and digits
/// as one '_'.
struct SmiValue {
    std::string path;
    std::string value;
};

struct SmiDevice {
    std::string head;              ///< what names it: "GPU#0  MXC500  0000:37:00.0", "00000000:06:00.0", "card0"
    std::vector<SmiValue> values;  ///< in the order of the text
};

struct SmiTree {
    std::vector<SmiValue> values;  ///< of the machine
    std::vector<SmiDevice> devices;
};

/// Titles and "Key : value" lines below each other by indentation, a device beginning with a line "GPU..." that is no
/// such pair: `nvidia-smi -q`, `mx-smi --show-...`, `mx-smi --summary`.
[[nodiscard]] SmiTree read_smi_blocks(std::string_view text);

/// `nvidia-smi -q -x`: a device is an element "gpu" with an attribute "id". Not a reader of XML in general.
[[nodiscard]] SmiTree read_smi_xml(std::string_view text);

/// JSON of `mx-smi -j` and `rocm-smi --json`: each object in the outermost one is a device. Text before the first '{'
/// is passed over; what is no JSON gives nothing.
[[nodiscard]] SmiTree read_smi_json(std::string_view text);

/// The first value with this path; nullopt also for "N/A", "[N/A]", "Unknown Error", and the like.
[[nodiscard]] std::optional<std::string> value_at(const std::vector<SmiValue>& values, std::string_view path);

/// The number at the beginning of "  62.015 W"; nullopt when there is none.
[[nodiscard]] std::optional<double> number_in(std::string_view value);

/// Bytes of "65536 MiB", "67108864 KB" (of 1024, as these tools count), "4MiB".
[[nodiscard]] std::optional<std::int64_t> bytes_in(std::string_view value);

/// True for Enabled, Enable, On, Active, Yes; false for their opposites.
[[nodiscard]] std::optional<bool> switch_in(std::string_view value);

/// "0000:37:00.0" out of a text that holds an address, also as "00000000:37:00.0"; small letters.
[[nodiscard]] std::optional<std::string> pci_address_in(std::string_view text);

/// Title or key as it stands in a path; of a longer one the first 64 characters, as no fact has.
[[nodiscard]] std::string path_word(std::string_view text);

/// Leaves out a value whose path is longer than that of any fact: in a hostile text each of many small values stands
/// below long titles.
void add_value(std::vector<SmiValue>& values, std::string path, std::string_view value);

}  // namespace gpuadapt::ingest

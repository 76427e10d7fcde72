// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/host/root.hpp>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// A machine, and where it was read from.
struct MachineReading {
    /// This machine, or the recording or tree that was read; null where texts were, or several sources.
    std::unique_ptr<Root> root;
    Machine machine;
};

/// How the path of an Unread entry begins that is about two sources which contradict each other.
inline constexpr std::string_view kDisagrees = "disagrees: ";

/// What the files and folders in `from` say, all of them together being one machine; this machine when `from` is empty.
/// They are recognised by their contents: our own recordings and trees with sys/ in them are probed as they are; so are
/// archives of hwloc-gather-topology and of util-linux; and texts are read by all readers of foreign_readers().
///
/// Facts of later sources fill what earlier ones do not know. Where two disagree, the earlier one stands, and an Unread
/// entry with path "disagrees: /pci_devices/..." holds both values. Machine::sources says which file gave which part.
/// The same holds for several outputs of one tool in one text. The last line of a text that does not end in a line end
/// is not read, which an Unread entry says: its values may be cut.
/// What a text cannot contain is unknown, and an Unread entry with the file's name says what would have shown it.
///
/// Throws Error(input) that names the file when it cannot be read, is damaged, or holds nothing of a machine. In a
/// folder or archive a single file may hold nothing: that is an Unread entry.
[[nodiscard]] MachineReading read_machine(const std::vector<std::string>& from);

/// The same for one file in memory.
[[nodiscard]] Machine machine_of_bytes(std::string bytes, const std::string& name);

/// A kind of text that is understood.
struct ForeignReader {
    std::string_view id;  ///< as it is told to users: "lspci -vvv"
    Text title;
    /// Fills an empty machine from a file; false when the text holds nothing of that kind. `raw` are the bytes as they
    /// are, `text` is plain_text() of them, `name` stands for the file in notes.
    bool (*read)(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
    /// Starts of the line with which an output of the tool begins; empty where outputs are not told apart.
    std::array<std::string_view, 2> begins = {};
};

[[nodiscard]] std::span<const ForeignReader> foreign_readers();

}  // namespace gpuadapt

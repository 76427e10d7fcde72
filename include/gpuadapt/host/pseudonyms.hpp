// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/memory_root.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// Other names for what identifies a machine or its owner: the same one for the same thing, wherever it stands and
/// however it is spelt, so that a recording still fits together. They are made from a secret key by SHA-256, so nobody
/// without the key can tell what was there.
///
/// - A word is these characters without a letter or digit beside them; it becomes letters and digits of the same kind
///   and number.
/// - A name is found likewise, but not in paths and not in os-release, whose words are those of a system; it becomes a
///   prefix and six digits: "host-3fa012".
/// - Hex is these digits in either case, between any of ":-.", as a whole or as an end of a longer run of digits, as a
///   GUID is of a GID; it becomes other digits, spelt likewise. The maker (first six digits of a MAC address or GUID)
///   stays.
/// - An IPv4 address becomes one in 10.0.0.0/8; those of one /24 stay together.
///
/// Too short or too plain to identify anything, and so left alone: words of less than four characters (numbers: five)
/// or without a digit, hex of less than twelve digits or of one digit only. A name of less than four characters ("vm")
/// is also a word of other meanings: it is replaced only where it is all there is. In binary files only words are
/// looked for; what has a place of its own there is for the caller, who knows the format (other_word(), other_hex()).
class Pseudonyms {
  public:
    explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

    void add_word(std::string_view word);
    void add_name(std::string_view name, std::string_view prefix);
    void add_hex(std::string_view digits);  ///< separators and "0x" may be in it
    void add_ipv4(std::string_view address);

    /// Adds the MAC addresses, UUIDs, GUIDs and RDMA GIDs that are spelt in `text`.
    void add_all_in(std::string_view text);

    /// The other word for this one, whether it was added or not; the other digits, or the same where they were not
    /// added.
    [[nodiscard]] std::string other_word(std::string_view word) const;
    [[nodiscard]] std::string other_hex(const std::string& digits) const;

    /// Text or the bytes of a binary file. Its length stays, but for names and IPv4 addresses, which are not
    /// looked for in binary files.
    [[nodiscard]] std::string replace(std::string_view text) const;
    [[nodiscard]] std::string replace_in_path(std::string_view path) const;

    /// Everything of a recording: contents, paths, links, output of tools.
    [[nodiscard]] Answers replace(const Answers& answers) const;

  private:
    [[nodiscard]] std::string digest(std::string_view what) const;
    [[nodiscard]] std::string replace_words(std::string_view text, bool is_path) const;
    [[nodiscard]] std::string replace_hex(std::string text) const;
    [[nodiscard]] std::string replace_ipv4(std::string_view text) const;

    /// A part must not be replaced before the whole.
    struct LongerFirst {
        bool operator()(const std::string& a, const std::string& b) const {
            return a.size() != b.size() ? a.size() > b.size() : a < b;
        }
    };

    std::string key_;
    std::map<std::string, std::string, LongerFirst> words_;
    std::map<std::string, std::string, LongerFirst> names_;
    std::map<std::string, std::string, LongerFirst> hex_;  ///< lower-case digits without separators
    std::map<std::string, std::string> ipv4_;
};

}  // namespace gpuadapt

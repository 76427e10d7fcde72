// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/driver/library.hpp>
#include <gpuadapt/driver/management.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// What NVML and MXSML have in common: functions that a library may lack, and that write their answer through a
/// pointer and return a code.
namespace gpuadapt {

/// A function of a library and the name it was found under. nullptr: this version of the library does not have it.
template <class Signature>
struct Entry {
    Signature* call = nullptr;
    const char* symbol = "";

    /// The first of `symbols` that the library has: newest first.
    void find_in(const Library& library, std::initializer_list<const char*> symbols) {
        for (const char* name : symbols) {
            symbol = name;
            call = reinterpret_cast<Signature*>(library.find(name));
            if (call != nullptr)
                return;
        }
    }
};

/// What a code of the library means for a fact.
struct CallFailure {
    bool absent = false;  ///< the device has no such thing: not worth a note
    std::string reason;
};

/// Asks one library, or one of its devices, and keeps why something stayed unknown.
class Calls {
  public:
    Calls(std::string subject, const ManagementSink& sink, CallFailure (*explain)(const Library&, std::uint32_t),
          const Library& library)
        : subject_(std::move(subject)), sink_(sink), explain_(explain), library_(library) {}

    /// The code of the call; nullopt where the library has no such function.
    template <class Signature, class... Arguments>
    std::optional<std::uint32_t> code(const Entry<Signature>& entry, Arguments... arguments) {
        if (entry.call == nullptr)
            return std::nullopt;
        announce(entry.symbol);
        return static_cast<std::uint32_t>(entry.call(arguments...));
    }

    /// True for success; anything else but "there is no such thing" becomes a note.
    template <class Signature, class... Arguments>
    bool succeeds(const Entry<Signature>& entry, Arguments... arguments) {
        const std::optional<std::uint32_t> result = code(entry, arguments...);
        if (result)
            note(entry.symbol, *result);
        return result == 0U;
    }

    /// What the call writes through its last parameter.
    template <class Value, class Signature, class... Arguments>
    std::optional<Value> get(const Entry<Signature>& entry, Arguments... arguments) {
        Value value{};
        return succeeds(entry, arguments..., &value) ? std::optional(value) : std::nullopt;
    }

    /// Keeps what `result` of a call says against a fact; success says nothing.
    void note(const char* symbol, std::uint32_t result);

    [[nodiscard]] std::string reason(std::uint32_t result) const { return explain_(library_, result).reason; }

    /// One note a reason, with the calls that gave it.
    [[nodiscard]] std::vector<Unread> notes() const;

  private:
    void announce(const char* symbol) const;

    std::string subject_;
    const ManagementSink& sink_;
    CallFailure (*explain_)(const Library&, std::uint32_t);
    const Library& library_;
    std::map<std::string, std::vector<std::string>> calls_by_reason_;
};

/// What is known of a device whose PCI address is not: why it could not be had.
[[nodiscard]] Machine unplaced_device(const Calls& calls, const std::string& subject);

/// Text of a buffer that a library filled: up to the first NUL, cleaned; nullopt when nothing is in it.
[[nodiscard]] std::optional<std::string> buffer_text(const char* buffer, std::size_t size);

template <std::size_t size>
[[nodiscard]] std::optional<std::string> buffer_text(const std::array<char, size>& buffer) {
    return buffer_text(buffer.data(), size);
}

/// A bit of a mask and its name.
struct NamedBit {
    std::uint64_t bit;
    std::string_view name;
};

/// Names of the bits that are set, in the order of the table; a bit that the table does not know as "0x...".
[[nodiscard]] std::vector<std::string> bit_names(std::uint64_t mask, std::initializer_list<NamedBit> names);

}  // namespace gpuadapt

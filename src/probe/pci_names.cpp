// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_names.hpp"

#include <gpuadapt/core/text.hpp>

#include <array>
#include <csetjmp>
#include <cstring>

#include <fmt/format.h>

extern "C" {
#include <pci/pci.h>
}

namespace gpuadapt {

namespace {

/// libpci reports trouble through a callback that must not return and gets no pointer of ours; by default it ends the
/// process. So the way back is kept here, one for each thread, and only while a call runs.
std::jmp_buf*& way_back() {
    thread_local std::jmp_buf* place = nullptr;
    return place;
}

extern "C" {
// The attribute in GNU's form, since in libpci it is part of the pointer's type.
__attribute__((noreturn)) void gpuadapt_pci_error(char*, ...) {  // NOLINT(cert-dcl50-cpp): libpci's type
    std::longjmp(*way_back(), 1);                                // NOLINT(cert-err52-cpp): over C frames only
}
void gpuadapt_pci_message(char*, ...) {}  // NOLINT(cert-dcl50-cpp)
}

enum class Outcome { found, unknown, failed };

/// Nothing here has a destructor that the jump could leave out.
Outcome guarded_lookup(pci_access* access, char* buffer, int size, int what, int first, int second) {
    constexpr int kOffline = PCI_LOOKUP_NO_NUMBERS | PCI_LOOKUP_NO_HWDB;
    std::jmp_buf here;
    if (setjmp(here) != 0) {  // NOLINT(cert-err52-cpp)
        way_back() = nullptr;
        return Outcome::failed;
    }
    way_back() = &here;
    const char* name = pci_lookup_name(access, buffer, size, what | kOffline, first, second);
    way_back() = nullptr;
    if (name == nullptr)
        return Outcome::unknown;
    if (name != buffer)
        strncpy(buffer, name, static_cast<std::size_t>(size) - 1);
    return Outcome::found;
}

}  // namespace

struct PciNames::State {
    std::string ids_file;  ///< libpci keeps a pointer to it
    pci_access* access = nullptr;
    bool failed = false;

    std::optional<std::string> look_up(int what, int first, int second) {
        if (failed)
            return std::nullopt;
        std::array<char, 1024> buffer{};
        const Outcome outcome =
            guarded_lookup(access, buffer.data(), static_cast<int>(buffer.size()), what, first, second);
        failed = outcome == Outcome::failed;
        if (outcome != Outcome::found)
            return std::nullopt;
        return clean_utf8(buffer.data());
    }
};

PciNames::PciNames(const std::string& ids_file) : state_(std::make_unique<State>()) {
    state_->ids_file = ids_file;
    state_->access = pci_alloc();  // ends the process only when there is no memory for it
    state_->access->error = gpuadapt_pci_error;
    state_->access->warning = gpuadapt_pci_message;
    state_->access->debug = gpuadapt_pci_message;
    // Else it looks for the home of this user, which may ask a server, and reads answers of the DNS that are kept
    // there.
    std::string param = "net.cache_name";
    std::string none;
    pci_set_param(state_->access, param.data(), none.data());
    if (!ids_file.empty())
        pci_set_name_list_path(state_->access, state_->ids_file.data(), 0);
}

PciNames::~PciNames() {
    pci_cleanup(state_->access);
}

std::optional<std::string> PciNames::vendor(int vendor_id) {
    return state_->look_up(PCI_LOOKUP_VENDOR, vendor_id, 0);
}

std::optional<std::string> PciNames::device(int vendor_id, int device_id) {
    return state_->look_up(PCI_LOOKUP_DEVICE, vendor_id, device_id);
}

std::optional<std::string> PciNames::class_name(int class_code) {
    std::optional<std::string> name = state_->look_up(PCI_LOOKUP_CLASS, class_code >> 8, 0);
    // Where only the base class has a name, libpci puts the number behind it.
    const std::string number = fmt::format(" [{:04x}]", class_code >> 8);
    if (name && name->ends_with(number))
        name->resize(name->size() - number.size());
    return name;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/driver/library.hpp>

#include <utility>

#include <dlfcn.h>
#include <link.h>

namespace gpuadapt {

namespace {

std::string last_reason() {
    const char* reason = dlerror();
    return reason != nullptr ? reason : "the dynamic linker gives no reason";
}

void* open(const std::string& name, Library::Visibility visibility) {
    return dlopen(name.c_str(), RTLD_NOW | (visibility == Library::Visibility::global ? RTLD_GLOBAL : RTLD_LOCAL));
}

}  // namespace

Library::Library(const std::string& name, Visibility visibility) : name_(name), handle_(open(name, visibility)) {
    if (handle_ == nullptr) {
        throw tool_error("cannot load " + name + ": " + last_reason());
    }
}

Library Library::open_first(const std::vector<std::string>& names, Visibility visibility) {
    std::string reasons;
    for (const std::string& name : names) {
        if (void* handle = open(name, visibility); handle != nullptr) {
            return {name, handle};
        }
        reasons += (reasons.empty() ? "" : "; ") + name + ": " + last_reason();
    }
    throw tool_error("cannot load a library: " + (reasons.empty() ? "no name to try" : reasons));
}

Library::Library(Library&& other) noexcept
    : name_(std::move(other.name_)), handle_(std::exchange(other.handle_, nullptr)) {}

Library& Library::operator=(Library&& other) noexcept {
    if (this != &other) {
        close();
        name_ = std::move(other.name_);
        handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
}

Library::~Library() {
    close();
}

void Library::close() {
    if (handle_ != nullptr) {
        dlclose(handle_);
        handle_ = nullptr;
    }
}

std::string Library::path() const {
    link_map* map = nullptr;
    if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) {
        return name_;
    }
    return map->l_name[0] != '\0' ? map->l_name : name_;
}

void* Library::find(const std::string& symbol) const {
    return handle_ != nullptr ? dlsym(handle_, symbol.c_str()) : nullptr;
}

void* Library::require(const std::string& symbol) const {
    void* address = find(symbol);
    if (address == nullptr) {
        throw tool_error(path() + " has no symbol " + symbol + ": it is another library or another version");
    }
    return address;
}

void Library::keep_loaded() {
    if (handle_ != nullptr) {
        // One more reference that nobody gives back.
        (void)dlopen(path().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

}  // namespace gpuadapt

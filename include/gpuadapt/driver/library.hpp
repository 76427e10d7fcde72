// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpuadapt {

/// A shared library of the host, opened with dlopen and closed with the object. Move-only.
class Library {
  public:
    /// How the symbols are seen by libraries that are opened later. Plug-ins of Open MPI need `global`.
    enum class Visibility { local, global };

    /// Opens `name`: a path (when it holds a '/') or a soname that the dynamic linker looks up.
    /// Throws Error(tool) with the name and the dynamic linker's reason.
    explicit Library(const std::string& name, Visibility visibility = Visibility::local);
    /// Opens the first of `names` that can be opened. Throws Error(tool) with each name and its reason.
    static Library open_first(const std::vector<std::string>& names, Visibility visibility = Visibility::local);

    Library(Library&& other) noexcept;
    Library& operator=(Library&& other) noexcept;
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library();

    /// What was asked for.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// The file that was really loaded (dlinfo RTLD_DI_LINKMAP); the name when the linker does not tell.
    [[nodiscard]] std::string path() const;

    /// Address of a symbol, nullptr when the library has none of that name.
    [[nodiscard]] void* find(const std::string& symbol) const;
    /// Address of a symbol. Throws Error(tool) with the names of library and symbol when there is none.
    [[nodiscard]] void* require(const std::string& symbol) const;

    /// The library stays loaded until the process ends: for libraries that leave threads or exit handlers behind.
    void keep_loaded();

  private:
    Library(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
    void close();

    std::string name_;
    void* handle_ = nullptr;
};

}  // namespace gpuadapt

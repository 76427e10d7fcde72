// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/ld_cache.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

using Paths = std::vector<std::string>;

/// A library that programs load: the name of its version, its sonames, newest first, and where it lies besides the
/// places of the dynamic linker.
struct LibraryRow {
    std::string_view name;
    std::vector<std::string_view> sonames;
    std::vector<std::string_view> folders;
    /// Packages of pkg-config that name the version. A library that has any counts its file names by itself (libtool),
    /// and that number must not be taken for a version.
    std::vector<std::string_view> packages;
};

const std::vector<LibraryRow>& library_rows() {
    static const std::vector<LibraryRow> kRows = {
        {"NCCL", {"libnccl.so.2"}, {}, {}},
        {"MCCL", {"libmccl.so"}, {"/opt/maca/lib", "/opt/maca/lib64"}, {}},
        {"RCCL", {"librccl.so.1"}, {"/opt/rocm/lib"}, {}},
        {"CUDA runtime", {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}, {"/usr/local/cuda/lib64"}, {}},
        {"MACA runtime", {"libmcruntime.so"}, {"/opt/maca/lib", "/opt/maca/lib64"}, {}},
        {"HIP runtime", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}, {"/opt/rocm/lib"}, {}},
        {"Open MPI",
         {"libmpi.so.40"},
         {"/opt/maca/ompi/lib", "/usr/local/lib", "/opt/hpcx/ompi/lib"},
         {"ompi-c", "ompi", "ompi-cxx"}},
        {"PMIx", {"libpmix.so.2"}, {"/opt/maca/ompi/lib", "/usr/local/lib"}, {"pmix"}},
        {"UCX", {"libucp.so.0"}, {"/opt/maca/ucx/lib", "/opt/hpcx/ucx/lib"}, {"ucx"}},
        {"libibverbs", {"libibverbs.so.1"}, {}, {"libibverbs"}},
    };
    return kRows;
}

constexpr std::string_view kDefaultFolders[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};

std::string_view folder_of(std::string_view path) {
    return path.substr(0, path.rfind('/'));
}

/// The places in which the dynamic linker looks for what a program asks for, in its order.
class Linker {
  public:
    explicit Linker(Root& root) : root_(root) {
        const Environment environment = root.environment();
        if (const auto list = environment.find("LD_LIBRARY_PATH"); list != environment.end()) {
            std::string_view rest = list->second;
            while (!rest.empty()) {
                const std::size_t end = std::min(rest.find_first_of(":;"), rest.size());
                if (end > 0)
                    folders_.emplace_back(rest.substr(0, end));
                rest.remove_prefix(std::min(rest.size(), end + 1));
            }
        }
        cache_ = parse_ld_cache(root.read("/etc/ld.so.cache").value_or(""));
    }

    [[nodiscard]] const Paths& folders() const { return folders_; }
    [[nodiscard]] const std::map<std::string, std::string>& cache() const { return cache_; }

    /// The file that is loaded for `soname`; nullopt when there is none.
    [[nodiscard]] std::optional<std::string> find(const std::string& soname,
                                                  const std::vector<std::string_view>& more) const {
        for (const std::string& folder : folders_)
            if (std::string path = fmt::format("{}/{}", folder, soname); root_.exists(path))
                return path;
        if (const auto found = cache_.find(soname); found != cache_.end())
            return found->second;
        for (const auto& list :
             {std::vector<std::string_view>(std::begin(kDefaultFolders), std::end(kDefaultFolders)), more})
            for (const std::string_view folder : list)
                if (std::string path = fmt::format("{}/{}", folder, soname); root_.exists(path))
                    return path;
        return std::nullopt;
    }

  private:
    Root& root_;
    Paths folders_;
    std::map<std::string, std::string> cache_;
};

/// The file behind the links: "libnccl.so.2" is "libnccl.so.2.28.3".
std::string behind_links(Root& root, std::string path) {
    for (int i = 0; i < 8; ++i) {
        const auto target = root.link(path);
        if (!target || target->empty() || target->find("..") != std::string::npos)
            break;
        path = target->front() == '/' ? *target : fmt::format("{}/{}", folder_of(path), *target);
    }
    return path;
}

/// "2.28.3" of "/usr/lib/libnccl.so.2.28.3"
std::string version_in_name(std::string_view path) {
    constexpr std::string_view kMark = ".so.";
    const std::string_view name = last_component(path);
    const std::size_t mark = name.find(kMark);
    return mark == std::string_view::npos ? "" : clean_utf8(name.substr(mark + kMark.size()));
}

/// The value of a line that begins so: "Version: 4.1.6", "#define MCCL_MAJOR 2".
std::string line_value(std::string_view text, std::string_view start) {
    for (const std::string_view line : split_lines(text))
        if (line.starts_with(start))
            return clean_utf8(trim(line.substr(start.size())));
    return "";
}

/// What pkg-config would say, from the files beside the library; else for Open MPI the series that follows from the
/// library's own number.
std::string packaged_version_of(Root& root, const LibraryRow& row, const std::string& found, const std::string& path) {
    for (const std::string_view package : row.packages) {
        const auto text = root.read(fmt::format("{}/pkgconfig/{}.pc", folder_of(found), package));
        if (std::string version = line_value(text.value_or(""), "Version:"); !version.empty())
            return version;
    }
    const std::string in_name = version_in_name(path);
    for (const auto& [library, series] : {std::pair{"40.10.", "3.1"}, std::pair{"40.20.", "4.0"},
                                          std::pair{"40.30.", "4.1"}, std::pair{"40.40.", "5.0"}})
        if (row.name == "Open MPI" && in_name.starts_with(library))
            return fmt::format("{} (libmpi {})", series, in_name);
    return "";
}

/// libmccl.so carries no version in its name; the header that comes with it does.
std::string mccl_version(Root& root, const std::string& path) {
    const std::string folder(folder_of(folder_of(path)));
    const std::string header = root.read(folder + "/include/mccl.h").value_or("");
    const std::string major = line_value(header, "#define MCCL_MAJOR");
    const std::string minor = line_value(header, "#define MCCL_MINOR");
    const std::string patch = line_value(header, "#define MCCL_PATCH");
    return major.empty() || minor.empty() || patch.empty() ? "" : fmt::format("{}.{}.{}", major, minor, patch);
}

void keep(Machine& machine, const std::string& name, const std::string& version, const std::string& path) {
    // A library without a version is still the one that is loaded: its file in brackets is a name and no version.
    machine.versions.try_emplace(
        name, SoftwareVersion{version.empty() ? fmt::format("({})", clean_utf8(last_component(path))) : version, path});
}

void find_libraries(Root& root, const Linker& linker, Machine& machine) {
    for (const LibraryRow& row : library_rows())
        for (const std::string_view soname : row.sonames) {
            const auto found = linker.find(std::string(soname), row.folders);
            if (!found)
                continue;
            const std::string path = behind_links(root, *found);
            std::string version = version_in_name(path);
            if (path.ends_with(soname))  // "13" of libcudart.so.13 is how programs ask for it
                version.clear();
            if (!row.packages.empty())
                version = packaged_version_of(root, row, *found, path);
            else if (row.name == "MCCL" && version.empty())
                version = mccl_version(root, *found);
            keep(machine, std::string(row.name), version, path);
            break;
        }
}

/// Network plug-ins of NCCL and MCCL: the one that is loaded unless the environment names another, and those others.
void find_plugins(const Linker& linker, Root& root, Machine& machine) {
    std::map<std::string, std::string> found;  // by file name
    const auto is_plugin = [](std::string_view name) {
        return (name.starts_with("libnccl-net") || name.starts_with("libmccl-net")) &&
               name.find(".so") != std::string_view::npos;
    };
    for (const std::string& folder : linker.folders())
        for (const std::string& name : root.list(folder).value_or(Paths{}))
            if (is_plugin(name))
                found.try_emplace(clean_utf8(name), fmt::format("{}/{}", folder, name));
    for (const auto& [name, path] : linker.cache())
        if (is_plugin(name))
            found.try_emplace(name, path);
    for (const auto& [name, path] : found)
        keep(machine, "net plugin " + name, version_in_name(behind_links(root, path)), path);
}

/// "2.28.9" of "nvidia_nccl_cu13-2.28.9.dist-info"
std::string packaged_version(const Paths& names) {
    for (const std::string& name : names)
        if (constexpr std::string_view kEnd = ".dist-info";
            name.starts_with("nvidia_nccl_cu") && name.ends_with(kEnd)) {
            const std::string_view version = std::string_view(name).substr(name.find('-') + 1);
            return clean_utf8(version.substr(0, version.size() - kEnd.size()));
        }
    return "";
}

/// A second NCCL that Python programs load instead of the system's.
void find_python_nccl(Root& root, Machine& machine) {
    for (const char* base : {"/usr/local/lib", "/usr/lib", "/opt/conda/lib"})
        for (const std::string& python : root.list(base).value_or(Paths{})) {
            if (!python.starts_with("python3"))
                continue;
            for (const char* packages : {"dist-packages", "site-packages"}) {
                const std::string folder = fmt::format("{}/{}/{}", base, python, packages);
                const std::string path = folder + "/nvidia/nccl/lib/libnccl.so.2";
                if (root.exists(path))
                    keep(machine, "NCCL (python)", packaged_version(root.list(folder).value_or(Paths{})), path);
            }
        }
}

/// The OFED of NVIDIA instead of the kernel's own drivers.
void find_ofed(Root& root, Machine& machine) {
    constexpr const char* kTool = "/usr/bin/ofed_info";
    if (root.exists(kTool)) {
        const CommandResult result = root.run({kTool, "-s"});
        std::string_view version = trim(result.output);
        while (version.ends_with(':'))
            version.remove_suffix(1);
        if (result.ok() && !version.empty())
            keep(machine, "OFED", clean_utf8(version), kTool);
    }
    constexpr const char* kModule = "/sys/module/mlx_compat/version";
    if (const auto version = root.read_line(kModule))
        keep(machine, "OFED", *version, kModule);
}

/// What says that GPUs of MetaX can be reached by RDMA, and by programs.
void find_metax(Root& root, Machine& machine) {
    for (const char* folder : {"/sys/kernel/mm/memory_peers", "/sys/class/mxcd"})
        if (const auto names = root.list(folder)) {
            std::string joined;
            for (const std::string& name : *names)
                joined += (joined.empty() ? "" : " ") + clean_utf8(name);
            machine.settings.try_emplace(folder, joined);
        }
}

}  // namespace

void probe_libraries(Root& root, Machine& machine) {
    const Linker linker(root);
    find_libraries(root, linker, machine);
    find_plugins(linker, root, machine);
    find_python_nccl(root, machine);
    find_ofed(root, machine);
    find_metax(root, machine);
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

/// What tunes the communication libraries: the environment, and the files that they read themselves.
namespace gpuadapt {

namespace {

enum class Form {
    variables,  ///< NCCL_DEBUG=WARN
    mca,        ///< btl = ^openib
};

struct Library {
    Form form = Form::variables;
    /// A variable whose file stands in the place of the user's; empty for none.
    std::string_view instead;
    /// The user's before the system's.
    std::string_view user, system;
};

// NCCL user guide, "Environment variables"; RCCL, "Environment variables". MCCL is NCCL 2.16 under other names, which
// had no variable for the file; that it renames the files too is assumed.
constexpr Library kLibraries[] = {
    {Form::variables, "NCCL_CONF_FILE", "/~/.nccl.conf", "/etc/nccl.conf"},
    {Form::variables, "", "/~/.mccl.conf", "/etc/mccl.conf"},
    {Form::variables, "NCCL_CONF_FILE", "/~/.rccl.conf", "/etc/rccl.conf"},
};

bool is_variable_name(std::string_view name) {
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

std::string_view without_quotes(std::string_view value) {
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
        return value.substr(1, value.size() - 2);
    return value;
}

/// What the library would not take for a setting is left out. Of two lines for one variable NCCL keeps the first,
/// Open MPI the last.
std::map<std::string, std::string> parse_variables(std::string_view text, Form form) {
    std::map<std::string, std::string> variables;
    for (const std::string_view line : split_lines(text)) {
        const std::size_t equals = line.find('=');
        if (trim(line).starts_with('#') || equals == std::string_view::npos)
            continue;
        const std::string_view name = trim(line.substr(0, equals));
        if (!is_variable_name(name))
            continue;
        const std::string value = clean_utf8(trim(line.substr(equals + 1)));
        if (form == Form::mca)
            variables["OMPI_MCA_" + std::string(name)] = without_quotes(value);
        else
            variables.try_emplace(std::string(name), value);
    }
    return variables;
}

void take(Root& root, Machine& machine, const std::string& path, Form form) {
    const auto same = [&path](const ConfigFile& file) { return file.path == path; };
    if (std::any_of(machine.config_files.begin(), machine.config_files.end(), same))
        return;
    if (!is_root_path(path)) {
        root.note_unread(path, "which file that is depends on where the job starts");
        return;
    }
    if (const auto text = root.read(path))
        machine.config_files.push_back({clean_utf8(path), parse_variables(*text, form)});
}

/// etc/ below the prefix for which this libmpi was built. Distributions move it.
std::string system_file_of_open_mpi(const Machine& machine) {
    constexpr std::string_view kName = "openmpi-mca-params.conf";
    const auto found = machine.versions.find("Open MPI");
    const std::string library = found == machine.versions.end() ? "" : found->second.path.value_or("");
    if (library.empty() || library.starts_with("/lib/") || library.starts_with("/usr/lib/"))
        return fmt::format("/etc/openmpi/{}", kName);  // Debian
    if (library.starts_with("/lib64/") || library.starts_with("/usr/lib64/"))
        return fmt::format("/etc/openmpi-x86_64/{}", kName);  // Red Hat
    const std::size_t folder = library.rfind('/', library.rfind('/') - 1);
    return fmt::format("{}/etc/{}", library.substr(0, folder), kName);
}

}  // namespace

void probe_environment(Root& root, Machine& machine) {
    machine.environment = root.environment();
    for (const Library& library : kLibraries) {
        const auto instead = machine.environment.find(std::string(library.instead));
        take(root, machine,
             instead == machine.environment.end() || instead->second.empty() ? std::string(library.user)
                                                                             : instead->second,
             library.form);
        take(root, machine, std::string(library.system), library.form);
    }
    take(root, machine, "/~/.openmpi/mca-params.conf", Form::mca);
    take(root, machine, system_file_of_open_mpi(machine), Form::mca);
}

}  // namespace gpuadapt

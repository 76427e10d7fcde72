// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/bench/launch.hpp>
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/driver/mpi.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpuadapt {

namespace {

constexpr Text kWayOut{
    "install Open MPI 4.1 or 5.0 (Debian and Ubuntu: openmpi-bin; RHEL: openmpi) or name its mpirun with --mpirun",
    "请安装 Open MPI 4.1 或 5.0（Debian、Ubuntu：openmpi-bin；RHEL：openmpi），或用 --mpirun 指定其 mpirun"};

/// "<what>; <way out>" in both languages.
Error refusal(const std::string& english, const std::string& chinese) {
    return tool_error(Message{fmt::format("{}; {}", english, kWayOut.en), fmt::format("{}；{}", chinese, kWayOut.zh)});
}

/// Folders of a parent folder whose names begin so, the highest name first.
void add_folders(Root& root, const std::string& parent, const std::string& beginning, const std::string& below,
                 std::vector<std::string>& folders) {
    std::vector<std::string> names = root.list(parent).value_or(std::vector<std::string>{});
    std::sort(names.rbegin(), names.rend());
    for (const std::string& name : names) {
        if (name.rfind(beginning, 0) == 0) {
            folders.push_back(fmt::format("{}/{}{}", parent, name, below));
        }
    }
}

std::vector<std::string> program_folders(Root& root, const std::string& path_list) {
    std::vector<std::string> folders;
    for (std::size_t begin = 0; begin <= path_list.size();) {
        const std::size_t end = std::min(path_list.find(':', begin), path_list.size());
        if (end > begin && path_list[begin] == '/') {
            folders.push_back(path_list.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    folders.emplace_back("/opt/maca/ompi/bin");
    folders.emplace_back("/usr/lib64/openmpi/bin");
    add_folders(root, "/usr/mpi/gcc", "openmpi-", "/bin", folders);
    add_folders(root, "/opt", "hpcx", "/ompi/bin", folders);
    return folders;
}

/// `path` without the links that its last component is.
std::string resolve(Root& root, std::string path) {
    constexpr int kMostLinks = 40;  // as the kernel's limit
    for (int i = 0; i < kMostLinks; ++i) {
        const std::optional<std::string> target = root.link(path);
        if (!target || target->empty()) {
            break;
        }
        path = target->front() == '/' ? *target : path.substr(0, path.rfind('/') + 1) + *target;
    }
    return path;
}

/// What a program that calls itself mpirun is; throws when it is not one that we can use.
Mpirun inspect(Root& root, const std::string& path) {
    const CommandResult result = root.run({path, "--version"});
    if (result.status != CommandStatus::exited) {
        const std::string reason = result.reason.empty() ? "signal" : result.reason;
        throw refusal(fmt::format("{} cannot be run: {}", path, reason), fmt::format("{} 无法运行：{}", path, reason));
    }
    const std::optional<MpirunVersion> version = parse_mpirun_version(result.output + '\n' + result.errors);
    if (!version) {
        throw refusal(path + " is not Open MPI's (MPICH's or Intel MPI's?)",
                      path + " 不是 Open MPI 的（可能属于 MPICH 或 Intel MPI）");
    }
    if (version->major != 4 && version->major != 5) {
        throw refusal(fmt::format("{} is of Open MPI {}, which gpuadapt does not know", path, version->text),
                      fmt::format("{} 属于 Open MPI {}，gpuadapt 不支持", path, version->text));
    }
    Mpirun mpirun{path, resolve(root, path), version->major, version->minor, version->text, std::nullopt};
    for (const std::string& candidate : libmpi_candidates_of(mpirun.program)) {
        if (candidate.front() == '/' && root.exists(candidate)) {
            mpirun.libmpi = candidate;
            break;
        }
    }
    return mpirun;
}

Mpirun inspect_given(Root& root, const std::string& path_list, const std::string& given) {
    std::string path = given;
    if (path.find('/') == std::string::npos) {
        for (const std::string& folder : program_folders(root, path_list)) {
            const std::string candidate = fmt::format("{}/{}", folder, given);
            if (root.exists(candidate)) {
                path = candidate;
                break;
            }
        }
    }
    try {
        return inspect(root, path);
    } catch (const Error& error) {
        throw input_error(
            Message{"--mpirun " + given + ": " + error.message().en, "--mpirun " + given + "：" + error.message().zh});
    }
}

}  // namespace

std::optional<MpirunVersion> parse_mpirun_version(std::string_view output) {
    for (const std::string_view name : {"(Open MPI) ", "(OpenRTE) "}) {
        const std::size_t at = output.find(name);
        if (at == std::string_view::npos) {
            continue;
        }
        std::string_view text = output.substr(at + name.size());
        text = text.substr(0, text.find_first_of(" \t\r\n"));
        const std::size_t dot = text.find('.');
        if (dot == std::string_view::npos) {
            continue;
        }
        const std::size_t end = std::min(text.find_first_not_of("0123456789", dot + 1), text.size());
        const auto major = parse_integer(text.substr(0, dot));
        const auto minor = parse_integer(text.substr(dot + 1, end - dot - 1));
        if (major && minor && *major >= 0 && *major < 1000 && *minor >= 0 && *minor < 1000) {
            return MpirunVersion{static_cast<int>(*major), static_cast<int>(*minor), clean_utf8(text)};
        }
    }
    return std::nullopt;
}

Mpirun find_mpirun(Root& root, const std::string& path_list, const std::optional<std::string>& given) {
    if (given) {
        return inspect_given(root, path_list, *given);
    }
    std::optional<Error> first_refusal;
    for (const std::string& folder : program_folders(root, path_list)) {
        const std::string path = folder + "/mpirun";
        if (!root.exists(path)) {
            continue;
        }
        try {
            return inspect(root, path);
        } catch (const Error& error) {
            if (!first_refusal) {
                first_refusal = error;
            }
        }
    }
    throw first_refusal.value_or(refusal("no mpirun was found", "找不到 mpirun"));
}

std::vector<std::string> mpirun_command(const Mpirun& mpirun, const LaunchPlan& plan) {
    const bool crowded = plan.hosts.empty() && plan.ranks > plan.cores;
    std::vector<std::string> command{mpirun.path, "-n", std::to_string(plan.ranks)};
    const auto add = [&command](std::initializer_list<std::string> words) { command.insert(command.end(), words); };
    if (plan.root) {
        add({"--allow-run-as-root"});
    }
    // Both defaults differ between the versions, so both are always given. Ranks that drive GPUs are not bound: their
    // libraries bind their own threads next to each GPU, and cannot when the process holds a single core.
    if (crowded && mpirun.major >= 5) {
        add({"--map-by", "slot:OVERSUBSCRIBE"});
    } else if (crowded) {
        add({"--map-by", "slot", "--oversubscribe"});
    } else {
        add({"--map-by", "slot"});
    }
    add({"--bind-to", crowded || !plan.host_memory ? "none" : "core"});
    if (!plan.hosts.empty()) {
        add({"--host", fmt::format("{}", fmt::join(plan.hosts, ","))});
    }
    if (mpirun.libmpi) {
        add({"-x", std::string(kLibmpiVariable) + '=' + *mpirun.libmpi});
    }
    for (const auto& [name, value] : plan.environment) {
        add({"-x", fmt::format("{}={}", name, value)});
    }
    for (const std::string& name : plan.exported) {
        add({"-x", name});
    }
    command.insert(command.end(), plan.extra.begin(), plan.extra.end());
    command.insert(command.end(), plan.command.begin(), plan.command.end());
    return command;
}

}  // namespace gpuadapt

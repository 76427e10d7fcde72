// SPDX-License-Identifier: Apache-2.0
#include "driver/mxsml.hpp"
#include "driver/nvml.hpp"
#include "driver/verbs.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/driver/management.hpp>

#include <algorithm>
#include <exception>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr char kSeparator = '\x1e';
constexpr std::string_view kCallMark = "calling ";
constexpr int kChildUsage = 2;

constexpr std::string_view kNvmlFiles[] = {
    "libnvidia-ml.so.1",
    "/usr/local/nvidia/lib64/libnvidia-ml.so.1",  // containers of older Kubernetes device plug-ins
    "/usr/lib/wsl/lib/libnvidia-ml.so.1",
};
constexpr std::string_view kMxsmlFiles[] = {
    "/opt/mxdriver/lib/libmxsml.so",  // comes with the driver
    "/opt/maca/lib/libmxsml.so",
    "/opt/mxn100/lib/libmxsml.so",
    "libmxsml.so.2",
};

constexpr std::string_view kVerbsFiles[] = {"libibverbs.so.1"};

constexpr ManagementLibrary kLibraries[] = {
    {"nvml", "NVML", "nvidia", kNvmlFiles, nvml::read},
    {"mxsml", "MXSML", "metax", kMxsmlFiles, mxsml::read},
    {"verbs", "libibverbs", "", kVerbsFiles, verbs::read},
};

void append(Machine& facts, Machine part) {
    std::move(part.gpus.begin(), part.gpus.end(), std::back_inserter(facts.gpus));
    std::move(part.rdma_devices.begin(), part.rdma_devices.end(), std::back_inserter(facts.rdma_devices));
    std::move(part.unread.begin(), part.unread.end(), std::back_inserter(facts.unread));
    facts.versions.merge(part.versions);
}

/// The parts that are whole; false when one is damaged or cut. What the library itself prints stands between them.
bool read_parts(std::string_view output, const std::string& name, Machine& facts) {
    while (true) {
        const std::size_t start = output.find(kSeparator);
        if (start == std::string_view::npos)
            return true;
        output.remove_prefix(start + 1);
        const std::size_t end = output.find(kSeparator);
        if (end == std::string_view::npos)
            return false;
        try {
            append(facts, read_machine(output.substr(0, end), name));
        } catch (const Error&) {
            return false;
        }
        output.remove_prefix(end + 1);
    }
}

/// "; the last call was nvmlInit_v2, NVML" of the child's lines on stderr.
std::string last_call(std::string_view errors) {
    const std::size_t mark = errors.rfind(kCallMark);
    if (mark == std::string_view::npos)
        return "";
    const std::string_view line = errors.substr(mark + kCallMark.size());
    return "; the last call was " + clean_utf8(trim(line.substr(0, line.find('\n'))));
}

/// Why a child did not come to its end.
std::string failure_of(const CommandResult& answer) {
    const std::string call = last_call(answer.errors);
    switch (answer.status) {
        case CommandStatus::timed_out:
            return fmt::format("time-out: {}{}", answer.reason, call);
        case CommandStatus::signalled:
            return fmt::format("it crashed: {}{}", answer.reason, call);
        case CommandStatus::exited:
            return fmt::format("the process that asks it ended with status {}{}", answer.code, call);
        default:
            return answer.reason;
    }
}

}  // namespace

std::span<const ManagementLibrary> management_libraries() {
    return kLibraries;
}

const ManagementLibrary* find_management_library(std::string_view id) {
    const auto* const found =
        std::find_if(std::begin(kLibraries), std::end(kLibraries), [&](const auto& row) { return row.id == id; });
    return found == std::end(kLibraries) ? nullptr : found;
}

int run_management_child(std::span<const char* const> arguments, const std::function<void(std::string_view)>& out,
                         const std::function<void(std::string_view)>& err) {
    const ManagementLibrary* row = arguments.empty() ? nullptr : find_management_library(arguments.front());
    if (row == nullptr)
        return kChildUsage;
    std::vector<std::string> files(arguments.begin() + 1, arguments.end());
    if (files.empty())
        files.assign(row->files.begin(), row->files.end());
    ManagementSink sink;
    sink.facts = [&](const Machine& part) { out(kSeparator + to_json(part) + kSeparator); };
    sink.calling = [&](std::string_view call) { err(fmt::format("{}{}", kCallMark, call)); };
    try {
        Library library = Library::open_first(files);
        library.keep_loaded();  // it may have started threads
        row->read(library, sink);
    } catch (const Error& error) {
        Machine nothing;
        nothing.unread.push_back({std::string(row->name), clean_utf8(error.what())});
        sink.facts(nothing);
    }
    return 0;
}

std::vector<std::string> management_command(const ManagementLibrary& row, const std::string& program) {
    return {program, std::string(kManagementFlag), std::string(row.id)};
}

Machine management_facts(const ManagementLibrary& row, const CommandResult& answer) {
    const std::string name(row.name);
    Machine facts;
    const bool whole = read_parts(answer.output, name, facts);
    if (!answer.ok())
        facts.unread.push_back({name, failure_of(answer)});
    else if (!whole || answer.output.find(kSeparator) == std::string::npos)
        facts.unread.push_back({name, "the process that asks it gave no answer"});
    return facts;
}

}  // namespace gpuadapt

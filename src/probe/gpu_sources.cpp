// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu_sources.hpp"

#include "probe/parse.hpp"

#include <gpuadapt/driver/management.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr std::chrono::milliseconds kToolLimit{30000};

template <class... Members>
void fill(Gpu& known, const Gpu& more, Members... members) {
    const auto one = [&](auto member) {
        if (!(known.*member))
            known.*member = more.*member;
    };
    (one(members), ...);
}

template <class... Members>
void fill_lists(Gpu& known, const Gpu& more, Members... members) {
    const auto one = [&](auto member) {
        if ((known.*member).empty())
            known.*member = more.*member;
    };
    (one(members), ...);
}

void fill(Gpu& known, const Gpu& more) {
    if (more.model)
        known.model = more.model;
    fill(known, more, &Gpu::index, &Gpu::uuid, &Gpu::serial, &Gpu::part_number, &Gpu::vbios, &Gpu::memory_bytes,
         &Gpu::memory_used_bytes, &Gpu::ecc, &Gpu::ecc_pending, &Gpu::ecc_corrected, &Gpu::ecc_uncorrected,
         &Gpu::remap_pending, &Gpu::core_mhz, &Gpu::core_max_mhz, &Gpu::memory_mhz, &Gpu::memory_max_mhz,
         &Gpu::temperature_c, &Gpu::power_w, &Gpu::power_limit_w, &Gpu::power_limit_default_w, &Gpu::persistence,
         &Gpu::compute_mode, &Gpu::partitioned);
    fill_lists(known, more, &Gpu::throttle_reasons, &Gpu::processes, &Gpu::links);
}

std::vector<std::string> words_of(std::string_view program, std::string_view arguments) {
    std::vector<std::string> words = {std::string(program)};
    for (const std::string_view word : split_words(arguments))
        words.emplace_back(word);
    return words;
}

}  // namespace

std::string failure_of(const CommandResult& result) {
    return result.reason.empty() ? fmt::format("exit status {}", result.code) : result.reason;
}

std::vector<const GpuVendor*> present_vendors(const Machine& machine) {
    std::vector<const GpuVendor*> present;
    for (const GpuVendor& row : gpu_vendors())
        if (std::any_of(machine.gpus.begin(), machine.gpus.end(), [&](const Gpu& gpu) { return gpu.vendor == row.id; }))
            present.push_back(&row);
    return present;
}

CommandResult run_gpu_tool(Root& root, const GpuVendor& vendor, std::string_view arguments) {
    CommandOptions options;
    options.timeout = kToolLimit;
    CommandResult result;
    for (const std::string_view program : vendor.programs) {
        result = root.run(words_of(program, arguments), options);
        if (result.status != CommandStatus::not_found)
            break;
    }
    return result;
}

Machine library_facts(Root& root, const GpuVendor& vendor) {
    const ManagementLibrary* library = find_management_library(vendor.library);
    if (library == nullptr)
        return {};
    CommandOptions options;
    options.timeout = kManagementLimit;
    Machine facts = management_facts(*library, root.run(management_command(*library), options));
    if (!facts.gpus.empty())
        facts.sources["gpus"] = library->name;
    return facts;
}

Machine tool_facts(Root& root, const GpuVendor& vendor) {
    Machine failures;
    std::string answers;
    std::string names;
    for (const std::string_view question : vendor.questions) {
        const CommandResult result = run_gpu_tool(root, vendor, question);
        if (result.status == CommandStatus::not_found) {
            if (answers.empty())
                break;  // no such tool: what else it could be asked does not matter
            continue;
        }
        const std::string name = fmt::format("{} {}", vendor.programs.front(), question);
        if (result.ok())
            names += (names.empty() ? "" : ", ") + name;
        else
            failures.unread.push_back({name, failure_of(result)});
        // What ends early may end inside of a value.
        answers += result.ok() ? result.output + "\n" : ingest::plain_text(result.output);
    }
    Machine facts = answers.empty() ? Machine{} : vendor.read(answers);
    facts.unread.insert(facts.unread.begin(), failures.unread.begin(), failures.unread.end());
    facts.pci_devices.clear();  // the kernel knows better
    if (!facts.gpus.empty())
        facts.sources["gpus"] = names;
    return facts;
}

void merge_gpu_facts(Machine& machine, const Machine& facts) {
    for (const Gpu& gpu : facts.gpus) {
        const auto place = std::lower_bound(
            machine.gpus.begin(), machine.gpus.end(), gpu.address,
            [](const Gpu& one, const std::string& address) { return pci_address_less(one.address, address); });
        if (place != machine.gpus.end() && place->address == gpu.address)
            fill(*place, gpu);
        else
            machine.gpus.insert(place, gpu);
    }
    for (const auto& [name, version] : facts.versions)
        machine.versions.try_emplace(name, version);
    if (const auto source = facts.sources.find("gpus"); source != facts.sources.end()) {
        std::string& sources = machine.sources["gpus"];
        sources += (sources.empty() ? "" : "; ") + source->second;
    }
}

}  // namespace gpuadapt

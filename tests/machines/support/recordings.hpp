// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

/// The recorded machines of this folder.
namespace gpuadapt::test {

inline std::filesystem::path machine_folder(const std::string& name) {
    return std::filesystem::path(GPUADAPT_MACHINES) / name;
}

/// Path of the recording in a folder; empty when there is none.
inline std::string recording_of(const std::filesystem::path& folder) {
    for (const char* name : {"recording.tar.gz", "recording"})
        if (std::filesystem::exists(folder / name))
            return folder / name;
    return "";
}

inline std::vector<std::string> machine_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(GPUADAPT_MACHINES))
        if (entry.is_directory() && !recording_of(entry.path()).empty())
            names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

/// A name that a test may have.
inline std::string name_of_machine(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

}  // namespace gpuadapt::test

// SPDX-License-Identifier: Apache-2.0
#include "host/folder.hpp"

#include <cerrno>
#include <string_view>

#include <dirent.h>

namespace gpuadapt {

int read_names(Fd folder, std::vector<std::string>& names) {
    DIR* stream = folder.valid() ? fdopendir(folder.get()) : nullptr;
    if (stream == nullptr)
        return errno;
    static_cast<void>(folder.release());  // closedir() closes it
    errno = 0;
    while (const dirent* entry = readdir(stream)) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
        const std::string_view name = static_cast<const char*>(entry->d_name);
        if (name != "." && name != "..")
            names.emplace_back(name);
        errno = 0;
    }
    const int error = errno;
    closedir(stream);
    return error;
}

}  // namespace gpuadapt

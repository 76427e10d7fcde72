// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace gpuadapt {

/// /etc/ld.so.cache of glibc ("glibc-ld.so.cache1.1", also behind the older form): file by soname, for programs of
/// 64 bit. Damaged entries are left out; what is no such file gives nothing.
[[nodiscard]] std::map<std::string, std::string> parse_ld_cache(std::string_view bytes);

}  // namespace gpuadapt

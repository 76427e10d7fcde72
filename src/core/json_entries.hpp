// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json_io.hpp"

#include <map>
#include <optional>
#include <string>

/// Lists in the JSON of a Machine: which entries of two lists belong together.
namespace gpuadapt::json {

/// What is not null and not empty.
[[nodiscard]] bool is_known(const Json& value);

/// The value as a reader sees it.
[[nodiscard]] std::string text_of(const Json& value);

/// Places of the entries by what names them: address, name, tool, id, index, locator, designation, number, path, the
/// first that there is. nullopt when they cannot be told apart.
[[nodiscard]] std::optional<std::map<std::string, std::size_t>> places_by_name(const Json& list);

}  // namespace gpuadapt::json

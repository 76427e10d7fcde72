// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_tree.hpp"

#include <gpuadapt/core/json_object.hpp>

#include <nlohmann/json.hpp>

namespace gpuadapt::ingest {

namespace {

using Json = nlohmann::basic_json<json::Object>;

constexpr int kMaxDepth = 16;

void add(std::vector<SmiValue>& values, const std::string& path, const Json& json, int depth) {
    if (depth > kMaxDepth)
        return;
    if (json.is_object())
        for (const auto& [key, value] : json.items())
            add(values, path + (path.empty() ? "" : "/") + path_word(key), value, depth + 1);
    else if (json.is_string())
        add_value(values, path, json.get_ref<const std::string&>());
    else if (json.is_number() || json.is_boolean())
        add_value(values, path, json.dump());
}

}  // namespace

SmiTree read_smi_json(std::string_view text) {
    SmiTree tree;
    const std::size_t start = text.find('{');
    const std::size_t end = text.rfind('}');
    if (start == std::string_view::npos || end == std::string_view::npos || end < start)
        return tree;
    const Json json = Json::parse(text.substr(start, end - start + 1), nullptr, false);
    if (!json.is_object())
        return tree;
    for (const auto& [key, value] : json.items()) {
        if (value.is_object()) {
            tree.devices.push_back({key, {}});
            add(tree.devices.back().values, "", value, 0);
        } else {
            add(tree.values, path_word(key), value, 0);
        }
    }
    return tree;
}

}  // namespace gpuadapt::ingest

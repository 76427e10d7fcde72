// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"

#include <gpuadapt/report/environment_items.hpp>

namespace gpuadapt::report {

LogItems log_items(const Table& table) {
    LogItems items;
    if (label_of(table, "line").empty())  // of the header in its log
        return items;
    const auto add = [&items](const char* key, const std::string& text) {
        if (!text.empty())
            items[key] = {text + " (header of the log)", text + "（据日志表头）"};
    };
    const std::string version = label_of(table, "version");
    const std::string tool = version.empty() ? "" : label_of(table, "tool") + " " + version;
    add("gpu_model", label_of(table, "devices"));
    add("sw_version", joined({Message::same(tool), Message::same(label_of(table, "library"))}, "; ").en);
    add("communication_setup", label_of(table, "options"));
    return items;
}

}  // namespace gpuadapt::report

// SPDX-License-Identifier: Apache-2.0
#include "report/environment_values.hpp"
#include "report/facts.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/report/environment_items.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpuadapt::report {
namespace {

/// The item's key for what a person wrote: the key itself or its label in either language.
std::optional<std::string_view> key_of(std::string_view name) {
    const auto search = [name](const auto& items) -> std::optional<std::string_view> {
        for (const FormItem& item : items)
            if (item.key == name || item.label.en == name || item.label.zh == name)
                return item.key;
        return std::nullopt;
    };
    if (const auto key = search(kEnvironmentItems))
        return key;
    return search(kSignatureItems);
}

struct HostValue {
    std::string host;
    ItemValue value;
};

/// `values` is not empty. One value where all hosts agree; otherwise the most frequent one, and the hosts that differ,
/// with `between` a host and what it has of its own.
Message over_hosts(const std::vector<HostValue>& values, const Message& nothing, const std::string& between) {
    const auto text = [&nothing](const ItemValue& value) { return value.value_or(nothing); };
    const HostValue* common = &values.front();
    std::ptrdiff_t most = 0;
    for (const HostValue& candidate : values) {
        const auto same = std::count_if(values.begin(), values.end(),
                                        [&](const HostValue& other) { return other.value == candidate.value; });
        if (same > most) {
            most = same;
            common = &candidate;
        }
    }
    if (most == static_cast<std::ptrdiff_t>(values.size()))
        return text(common->value);
    std::vector<Message> lines;
    if (most > 1)
        lines.push_back(text(common->value));
    for (const HostValue& host : values)
        if (most < 2 || host.value != common->value)
            lines.push_back(joined({Message::same(host.host + ":"), text(host.value)}, between));
    return joined(lines, "\n");
}

/// Ready to be pasted into a shell, so hosts stand there as remarks.
ItemValue communication_setup(const std::vector<HostMachine>& machines, const std::optional<Launch>& launch) {
    std::vector<Message> parts;
    if (launch)
        parts.push_back(Message::same(launch_environment(*launch)));
    std::vector<HostValue> hosts;
    hosts.reserve(machines.size());
    for (const HostMachine& host : machines)
        hosts.push_back({shell_remark(host.host), host_setup(host.machine, launch)});
    const bool has_lines =
        std::any_of(hosts.begin(), hosts.end(), [](const HostValue& host) { return host.value.has_value(); });
    if (has_lines)
        parts.push_back(over_hosts(hosts, {"# nothing else", "# 无其他设置"}, "\n"));
    if (launch)
        parts.push_back(start_command(*launch));
    else if (has_lines)
        parts.emplace_back("# start command: not read", "# 启动命令：未读到");
    else
        return std::nullopt;
    return joined(parts, "\n");
}

Message by_hand(const std::string& value) {
    return {value + " (by hand)", value + "（手工）"};
}

}  // namespace

std::string form_keys(bool named) {
    std::string text;
    const auto add = [&](const FormItem& item) {
        text += text.empty() ? "" : ", ";
        text += named && item.key != item.label.zh ? fmt::format("{} ({})", item.key, item.label.zh)
                                                   : std::string(item.key);
    };
    std::for_each(kEnvironmentItems.begin(), kEnvironmentItems.end(), add);
    std::for_each(kSignatureItems.begin(), kSignatureItems.end(), add);
    return text;
}

FormOverrides FormOverrides::parse(std::string_view json, const std::string& file_name) {
    FormOverrides form;
    std::set<std::string> twice;
    const nlohmann::json::parser_callback_t notice = [&](int depth, nlohmann::json::parse_event_t event,
                                                         nlohmann::json& parsed) {
        if (depth == 1 && event == nlohmann::json::parse_event_t::key) {
            const std::string name = parsed.get<std::string>();
            if (!twice.insert(std::string(key_of(name).value_or(name))).second)
                throw input_error(Message{fmt::format("{}: \"{}\" is given twice", file_name, name),
                                          fmt::format("{}：“{}” 重复给出", file_name, name)});
        }
        return true;
    };
    nlohmann::json values;
    try {
        values = nlohmann::json::parse(json, notice);
    } catch (const nlohmann::json::exception& error) {
        throw input_error(fmt::format("{}: {}", file_name, clean_utf8(error.what())));
    }
    if (!values.is_object())
        throw input_error(
            Message{fmt::format("{}: an object of texts is expected, as {{\"tester\": \"...\"}}", file_name),
                    fmt::format("{}：应为字符串对象，例如 {{\"测试人\": \"...\"}}", file_name)});
    for (const auto& [name, value] : values.items()) {
        const auto key = key_of(name);
        if (!key)
            throw input_error(Message{
                fmt::format("{}: \"{}\" is no item of the form; known are {}", file_name, clean_utf8(name),
                            form_keys(true)),
                fmt::format("{}：表中没有 “{}” 这一项；可用：{}", file_name, clean_utf8(name), form_keys(true))});
        if (!value.is_string())
            throw input_error(Message{fmt::format("{}: \"{}\" must be a text", file_name, clean_utf8(name)),
                                      fmt::format("{}：“{}” 必须是字符串", file_name, clean_utf8(name))});
        form.values.emplace(*key, value.get<std::string>());
    }
    return form;
}

std::vector<FilledItem> environment_items(const std::vector<HostMachine>& machines, const std::optional<Launch>& launch,
                                          const FormOverrides& form, const LogItems& log) {
    std::vector<FilledItem> items;
    for (const FormItem& row : kEnvironmentItems) {
        FilledItem item;
        item.key = row.key;
        item.label = Message(row.label);
        const auto written = form.values.find(std::string(row.key));
        if (written != form.values.end()) {
            item.value = by_hand(written->second);
            item.manual = true;
        } else if (row.key == "communication_setup") {
            const ItemValue setup = communication_setup(machines, launch);
            item.known = setup.has_value();
            item.value = setup.value_or(not_read());
        } else {
            std::vector<HostValue> values;
            values.reserve(machines.size());
            for (const HostMachine& host : machines)
                values.push_back({host.host, environment_value(row.key, host.machine, launch)});
            item.known =
                std::any_of(values.begin(), values.end(), [](const HostValue& host) { return host.value.has_value(); });
            item.value = item.known ? over_hosts(values, not_read(), " ") : not_read();
        }
        if (const auto told = log.find(row.key); !item.known && told != log.end()) {
            item.known = true;
            item.value = told->second;
        }
        items.push_back(std::move(item));
    }
    return items;
}

std::vector<FilledItem> signature_items(const FormOverrides& form, const std::string& started) {
    constexpr std::size_t kDayLength = 10;
    std::vector<FilledItem> items;
    for (const FormItem& row : kSignatureItems) {
        FilledItem item;
        item.key = row.key;
        item.label = Message(row.label);
        const auto written = form.values.find(std::string(row.key));
        if (written != form.values.end()) {
            item.value = by_hand(written->second);
            item.manual = true;
        } else if (row.key == "date" && started.size() >= kDayLength) {
            item.value = Message::same(clean_utf8(started.substr(0, kDayLength)));
        }
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace gpuadapt::report

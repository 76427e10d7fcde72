// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_reading.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// mlnx_qos -i INTERFACE (mlnx-tools): trust, priority flow control, buffers and traffic classes of a port.
namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kPriorities = 8;
constexpr std::size_t kCodePoints = 64;

std::string& setting(RdmaReading& reading, const char* name) {
    return reading.interface().qos[name];
}

/// The words of a row behind its name, as list: "enabled  0  0  0  1 ..." is "0,0,0,1,...".
bool take_row(std::string_view text, std::string_view name, const char* qos, RdmaReading& reading) {
    if (!text.starts_with(name) || text.size() == name.size() ||
        (text[name.size()] != ' ' && text[name.size()] != '\t'))
        return false;
    std::string list;
    text.remove_prefix(name.size());
    for (std::size_t i = 0; i < kPriorities && !trim(text).empty(); ++i) {
        text = trim(text);
        const std::string_view word = text.substr(0, text.find_first_of(" \t"));
        if (!whole_number(word, 0, 255))
            return false;
        put_in_list(list, kPriorities, i, word);
        text.remove_prefix(word.size());
    }
    if (qos != nullptr && !list.empty())
        setting(reading, qos) = list;
    return !list.empty();
}

/// "prio:3 dscp:31,30,29,28,27,26,25,24,"
bool take_code_points(std::string_view text, RdmaReading& reading) {
    constexpr std::string_view kName = " dscp:";
    const std::size_t at = text.find(kName);
    if (!text.starts_with("prio:") || at == std::string_view::npos)
        return false;
    const std::string_view priority = text.substr(5, at - 5);
    if (!whole_number(priority, 0, kPriorities - 1))
        return false;
    std::string_view rest = text.substr(at + kName.size());
    std::string& list = setting(reading, "dscp2prio");
    for (std::size_t i = 0; i < kCodePoints && !rest.empty(); ++i) {
        const std::size_t comma = rest.find(',');
        if (const auto point = whole_number(rest.substr(0, comma), 0, kCodePoints - 1))
            put_in_list(list, kCodePoints, static_cast<std::size_t>(*point), priority);
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    return true;
}

/// "tc: 0 ratelimit: unlimited, tsa: vendor"; which priorities it has stands in the lines below.
bool take_class(std::string_view text, RdmaReading& reading) {
    const auto number = text.starts_with("tc: ") ? between(text, "tc: ", " ") : std::nullopt;
    const auto index = number ? whole_number(*number, 0, kPriorities - 1) : std::nullopt;
    if (!index)
        return false;
    const auto at = static_cast<std::size_t>(*index);
    if (const auto limit = between(text, "ratelimit: ", ","))
        put_in_list(setting(reading, "rate_limit"), kPriorities, at, clean_utf8(trim(*limit)));
    if (const std::size_t tsa = text.find("tsa: "); tsa != std::string_view::npos) {
        const std::string_view rest = text.substr(tsa + 5);
        put_in_list(setting(reading, "tsa"), kPriorities, at, clean_utf8(trim(rest.substr(0, rest.find(',')))));
    }
    if (const std::size_t share = text.find(" bw: "); share != std::string_view::npos)
        put_in_list(setting(reading, "tc_bw"), kPriorities, at, clean_utf8(trim(text.substr(share + 5))));
    reading.open_class(*index);
    return true;
}

bool take_key(std::string_view key, std::string_view value, RdmaReading& reading) {
    if (key == "DCBX mode") {
        setting(reading, "dcbx") = clean_utf8(value);
    } else if (key == "Priority trust state") {
        setting(reading, "trust") = clean_utf8(value);
    } else if (key == "Cable len") {
        setting(reading, "cable_len") = clean_utf8(value);
    } else if (key == "Receive buffer size (bytes)") {
        // "80256,80256,896,...,", newer versions end in "max_buffer_size=N".
        value = value.substr(0, value.find_first_not_of("0123456789,"));
        while (value.ends_with(','))
            value.remove_suffix(1);
        if (!value.empty())
            setting(reading, "buffer_bytes") = std::string(value);
    } else {
        return key == "dscp2prio mapping" || key == "PFC configuration";
    }
    return true;
}

}  // namespace

bool open_mlnx_qos(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    const bool is_first = pair && pair->first == "DCBX mode";
    const bool is_second = pair && pair->first == "Priority trust state";
    if ((!is_first && !is_second) || pair->second.empty())
        return false;
    if (is_first || reading.interface().qos.contains("trust"))
        reading.close_interface();
    return take_key(pair->first, pair->second, reading);
}

bool read_mlnx_qos(const RdmaLine& line, RdmaReading& reading) {
    if (take_row(line.text, "priority", nullptr, reading) || take_row(line.text, "enabled", "pfc", reading) ||
        take_row(line.text, "buffer", "pfc_buffer", reading) || take_code_points(line.text, reading) ||
        take_class(line.text, reading))
        return true;
    const auto pair = key_and_value(line.text);
    if (!pair)
        return false;
    if (pair->first != "priority")
        return take_key(pair->first, pair->second, reading);
    const auto priority = whole_number(pair->second, 0, kPriorities - 1);
    if (!priority || !reading.traffic_class())
        return false;
    put_in_list(setting(reading, "prio_tc"), kPriorities, static_cast<std::size_t>(*priority),
                std::to_string(*reading.traffic_class()));
    return true;
}

}  // namespace gpuadapt::ingest

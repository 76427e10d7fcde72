// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_reading.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// ethtool(8): settings, driver (-i), counters (-S), optical module (-m).
namespace gpuadapt::ingest {

namespace {

constexpr int kFastest = 10'000'000;  // Mb/s

/// "25000Mb/s"; "Unknown!" where there is no link.
std::optional<int> speed_of(std::string_view value) {
    constexpr std::string_view kUnit = "Mb/s";
    return value.ends_with(kUnit) ? whole_number(value.substr(0, value.size() - kUnit.size()), 1, kFastest)
                                  : std::nullopt;
}

}  // namespace

bool open_ethtool(const RdmaLine& line, RdmaReading& reading) {
    constexpr std::string_view kStart = "Settings for ";
    if (!line.text.starts_with(kStart) || !line.text.ends_with(':') || line.text.size() < kStart.size() + 2)
        return false;
    reading.open_interface(line.text.substr(kStart.size(), line.text.size() - kStart.size() - 1));
    return true;
}

bool read_ethtool(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    NetInterface fact;
    if (pair && pair->first == "Speed")
        fact.speed_mbit_s = speed_of(pair->second);
    else if (pair && pair->first == "Link detected" && (pair->second == "yes" || pair->second.starts_with("no")))
        fact.state = pair->second == "yes" ? "up" : "down";
    if (fact != NetInterface{})
        reading.add(fact);
    return fact != NetInterface{} || line.indented;  // all else is indented: modes, their continuations
}

bool open_ethtool_driver(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    if (pair && pair->first == "driver" && !line.indented && !pair->second.empty() &&
        pair->second.find(' ') == std::string_view::npos) {
        reading.close_interface();
        reading.driver = clean_utf8(pair->second);
        return true;
    }
    if (!pair || pair->first != "firmware-version")
        return false;
    NetInterface fact;
    if (!reading.driver.empty())
        fact.driver = reading.driver;
    // An empty one is what virtual devices have; "N/A" is ethtool's word for the same.
    if (!pair->second.empty() && pair->second != "N/A")
        fact.firmware = clean_utf8(pair->second);
    reading.add(fact);
    return true;
}

bool read_ethtool_driver(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    if (!pair)
        return false;
    if (pair->first == "bus-info" && is_pci_address(pair->second)) {
        NetInterface fact;
        fact.pci_address = std::string(pair->second);
        reading.add(fact);
        return true;
    }
    return pair->first == "bus-info" || pair->first == "version" || pair->first == "expansion-rom-version" ||
           pair->first.starts_with("supports-");
}

bool open_ethtool_counters(const RdmaLine& line, RdmaReading& reading) {
    if (line.text != "NIC statistics:")
        return false;
    reading.close_interface();
    return true;
}

bool read_ethtool_counters(const RdmaLine& line, RdmaReading& reading) {
    const std::size_t colon = line.text.rfind(':');  // "[0]: rx_ucast_packets: 12"
    if (colon == std::string_view::npos || colon == 0)
        return false;
    const auto count = parse_integer(trim(line.text.substr(colon + 1)));
    if (!count || *count < 0)
        return false;
    NetInterface fact;
    fact.counters.emplace(clean_utf8(trim(line.text.substr(0, colon))), *count);
    reading.add(fact);
    return true;
}

bool open_ethtool_module(const RdmaLine& line, RdmaReading& reading) {
    const auto pair = key_and_value(line.text);
    if (!pair || pair->first != "Identifier" || !pair->second.starts_with("0x"))
        return false;
    reading.close_interface();
    return read_ethtool_module(line, reading);
}

bool read_ethtool_module(const RdmaLine& line, RdmaReading& reading) {
    const std::size_t colon = line.text.find(" : ");
    if (colon == std::string_view::npos || colon == 0)
        return false;
    const std::string key = clean_utf8(trim(line.text.substr(0, colon)));
    const std::string value = clean_utf8(trim(line.text.substr(colon + 3)));
    NetInterface& interface = reading.interface();
    // Several lines may have one key ("Transceiver type"): they are one list.
    const auto [place, added] = interface.transceiver.emplace(key, value);
    if (!added && place->second != value && place->second.size() < 400)
        place->second += "; " + value;
    return true;
}

}  // namespace gpuadapt::ingest

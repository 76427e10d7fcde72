// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/ingest/rdma_state.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt::ingest {

/// The facts of a text so far, and what the line at hand belongs to. Each heading begins an entry of its own; finish()
/// brings together what is about the same thing.
class RdmaReading {
  public:
    void open_device(std::string_view name);
    void open_port(int number) { port_ = number; }
    void open_interface(std::string_view name);
    void open_class(int number) { class_ = number; }
    [[nodiscard]] std::optional<int> traffic_class() const { return class_; }
    /// The next facts are about another interface, whose name is not said.
    void close_interface();
    /// A new command begins, and nothing that was opened goes on. Facts without a heading are about these.
    void begin_command(std::string_view device, std::string_view interface);
    [[nodiscard]] bool has_device() const { return device_.has_value(); }
    /// Lanes of the port that is open, as far as they are known.
    [[nodiscard]] std::optional<int> width() const;

    /// Adds to what is open, else to a thing without a name. Of things without a name, one fact given twice begins the
    /// next one: they come from a list whose names were cut off.
    void add(RdmaPort fact);  ///< number 0: of the port that is open
    void add(const RdmaDevice& fact);
    void add(const NetInterface& fact);
    void add(const PciDevice& fact);
    /// For facts that several lines make up.
    [[nodiscard]] NetInterface& interface();
    /// The driver that `ethtool -i` names before the rest.
    std::string driver;
    /// The path of "==> PATH <==" whose content is the next line.
    std::string file;

    /// Number of facts and names so far.
    [[nodiscard]] std::size_t added() const { return added_; }
    void found(std::string_view tool) { facts_.tools.emplace(tool); }
    void count_line() { ++facts_.lines; }
    void not_understood(std::string_view line);

    [[nodiscard]] RdmaState finish() &&;

  private:
    RdmaState facts_;
    std::optional<std::size_t> device_, interface_;  ///< index in facts_
    std::string expected_device_, expected_interface_;
    int port_ = 0;
    std::optional<int> class_;
    std::size_t added_ = 0;
};

/// One line, without the prefix of a launcher.
struct RdmaLine {
    std::string_view text;  ///< without white space at its ends, not empty
    bool indented = false;
};

/// One kind of output.
struct RdmaFormat {
    std::string_view tool;
    /// Takes a line that only this kind has: a heading, or one that says all by itself.
    bool (*opens)(const RdmaLine& line, RdmaReading& reading);
    /// Takes a line below such a heading; nullptr where there are none.
    bool (*goes_on)(const RdmaLine& line, RdmaReading& reading);
};

bool open_ibstat(const RdmaLine& line, RdmaReading& reading);
bool read_ibstat(const RdmaLine& line, RdmaReading& reading);
bool open_ibstatus(const RdmaLine& line, RdmaReading& reading);
bool read_ibstatus(const RdmaLine& line, RdmaReading& reading);
bool open_ibv_devinfo(const RdmaLine& line, RdmaReading& reading);
bool read_ibv_devinfo(const RdmaLine& line, RdmaReading& reading);
bool read_rdma_link(const RdmaLine& line, RdmaReading& reading);
bool read_rdma_dev(const RdmaLine& line, RdmaReading& reading);
bool read_ibdev2netdev(const RdmaLine& line, RdmaReading& reading);
bool open_show_gids(const RdmaLine& line, RdmaReading& reading);
bool read_show_gids(const RdmaLine& line, RdmaReading& reading);
bool open_perfquery(const RdmaLine& line, RdmaReading& reading);
bool read_perfquery(const RdmaLine& line, RdmaReading& reading);
bool open_ethtool(const RdmaLine& line, RdmaReading& reading);
bool read_ethtool(const RdmaLine& line, RdmaReading& reading);
bool open_ethtool_driver(const RdmaLine& line, RdmaReading& reading);
bool read_ethtool_driver(const RdmaLine& line, RdmaReading& reading);
bool open_ethtool_counters(const RdmaLine& line, RdmaReading& reading);
bool read_ethtool_counters(const RdmaLine& line, RdmaReading& reading);
bool open_ethtool_module(const RdmaLine& line, RdmaReading& reading);
bool read_ethtool_module(const RdmaLine& line, RdmaReading& reading);
bool open_mlnx_qos(const RdmaLine& line, RdmaReading& reading);
bool read_mlnx_qos(const RdmaLine& line, RdmaReading& reading);
bool open_sysfs(const RdmaLine& line, RdmaReading& reading);
bool read_sysfs(const RdmaLine& line, RdmaReading& reading);
bool read_kernel_log(const RdmaLine& line, RdmaReading& reading);

}  // namespace gpuadapt::ingest

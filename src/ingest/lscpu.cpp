// SPDX-License-Identifier: Apache-2.0
#include "ingest/cpu_ranges.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/lscpu.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kWideColon = "\uff1a";
constexpr int kMostNodes = 4096;

enum class Key {
    architecture,
    cpus,
    online,
    offline,
    vendor,
    model,
    threads,
    cores,
    sockets,
    boost,
    max_mhz,
    min_mhz,
    l1d,
    l1i,
    l2,
    l3,
    hypervisor,
    node_cpus,
};

struct Label {
    std::string_view text;
    Key key;
};

/// What stands before the colon, in all versions of util-linux and in both languages.
constexpr Label kLabels[] = {
    {"Architecture", Key::architecture},
    {"架构", Key::architecture},
    {"CPU(s)", Key::cpus},
    {"CPU", Key::cpus},
    {"On-line CPU(s) list", Key::online},
    {"在线 CPU 列表", Key::online},
    {"Off-line CPU(s) list", Key::offline},
    {"离线 CPU 列表", Key::offline},
    {"Vendor ID", Key::vendor},
    {"厂商 ID", Key::vendor},
    {"供应商 ID", Key::vendor},
    {"Model name", Key::model},
    {"型号名称", Key::model},
    {"Thread(s) per core", Key::threads},
    {"每个核的线程数", Key::threads},
    {"每核线程数", Key::threads},
    {"Core(s) per socket", Key::cores},
    {"每个座的核数", Key::cores},
    {"每座核数", Key::cores},
    {"Socket(s)", Key::sockets},
    {"座", Key::sockets},
    {"Frequency boost", Key::boost},
    {"频率提升", Key::boost},
    {"CPU max MHz", Key::max_mhz},
    {"CPU 最大 MHz", Key::max_mhz},
    {"CPU min MHz", Key::min_mhz},
    {"CPU 最小 MHz", Key::min_mhz},
    {"L1d cache", Key::l1d},
    {"L1d 缓存", Key::l1d},
    {"L1d", Key::l1d},
    {"L1i cache", Key::l1i},
    {"L1i 缓存", Key::l1i},
    {"L1i", Key::l1i},
    {"L2 cache", Key::l2},
    {"L2 缓存", Key::l2},
    {"L2", Key::l2},
    {"L3 cache", Key::l3},
    {"L3 缓存", Key::l3},
    {"L3", Key::l3},
    {"Hypervisor vendor", Key::hypervisor},
    {"超管理器厂商", Key::hypervisor},
};

/// "NUMA node0 CPU(s)", "NUMA 节点0 CPU": the number.
std::optional<int> node_of_label(std::string_view label) {
    for (const std::string_view start : {"NUMA node", "NUMA 节点"})
        if (label.starts_with(start) && label.find(" CPU") != kNone)
            return scan_int(label.substr(start.size()));
    return std::nullopt;
}

struct Cache {
    std::optional<std::int64_t> bytes;
    std::optional<int> instances;
};

/// "32K" of old versions is one cache; "6 MiB (128 instances)" is the sum; "6 MiB" alone is a sum of unknown parts.
Cache cache_of(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t unit = text.find_first_not_of("0123456789.");
    if (unit == kNone)
        return {};
    if (text[unit] == 'K' || text[unit] == 'M')
        return {scan_bytes(text), std::nullopt};
    const auto count = open == kNone ? std::nullopt : scan_int(text.substr(open + 1));
    const auto amount = scan_real(text);
    const auto one = scan_bytes("1 " + std::string(trim(text.substr(unit, open - unit))));
    if (!count || *count == 0 || !amount || !one)
        return {};
    const double bytes = *amount * static_cast<double>(*one) / *count;
    if (bytes > 1e15)
        return {};
    return {static_cast<std::int64_t>(std::llround(bytes)), count};
}

/// "2250.0000" MHz; a comma in other locales. 0 is a driver that does not know.
std::optional<int> khz_of(std::string_view text) {
    std::string number(text.substr(0, 24));
    std::replace(number.begin(), number.end(), ',', '.');
    const auto mhz = scan_real(number);
    if (!mhz || *mhz <= 0 || *mhz > 1e6)
        return std::nullopt;
    return static_cast<int>(std::lround(*mhz * 1000));
}

std::optional<bool> switch_of(std::string_view text) {
    for (const std::string_view word : {"enabled", "已启用", "启用"})
        if (text.starts_with(word))
            return true;
    for (const std::string_view word : {"disabled", "已禁用", "禁用"})
        if (text.starts_with(word))
            return false;
    return std::nullopt;
}

template <class T>
void keep(std::optional<T>& field, const std::optional<T>& value) {
    if (!field)
        field = value;
}

class Reader {
  public:
    std::optional<Lscpu> read(std::string_view text) {
        if (text.find("\"field\"") != kNone)
            read_json(text);
        else
            for (const std::string_view line : text_lines(text))
                take_line(line);
        constexpr std::size_t kEnough = 3;
        const bool counts = seen_.contains(Key::cpus) || seen_.contains(Key::sockets) || seen_.contains(Key::cores);
        if (seen_.size() < kEnough || !counts)
            return std::nullopt;
        finish();
        return std::move(result_);
    }

  private:
    void take_line(std::string_view line) {
        const std::size_t wide = line.find(kWideColon);
        const std::size_t narrow = line.find(':');
        const std::size_t colon = std::min(wide, narrow);
        if (colon > 80)  // as npos is
            return;
        const std::size_t size = colon == wide ? kWideColon.size() : 1;
        take(trim(line.substr(0, colon)), trim(line.substr(colon + size)));
    }

    /// `"field": "...", "data": "..."` pairs, at any depth, also of a cut text.
    void read_json(std::string_view text) {
        for (std::string_view rest = behind(text, "\"field\""); !rest.empty(); rest = behind(rest, "\"field\"")) {
            const std::string_view pair = rest.substr(0, rest.find("\"field\""));
            std::string_view label = quoted(pair);
            for (const std::string_view colon : {std::string_view(":"), kWideColon})
                if (label.ends_with(colon))
                    label.remove_suffix(colon.size());
            if (const std::string_view data = behind(pair, "\"data\""); !data.empty())
                take(trim(label), trim(quoted(data)));
        }
    }

    /// What stands in the next pair of quotes; lscpu has none inside.
    static std::string_view quoted(std::string_view text) {
        const std::string_view rest = behind(text, "\"");
        return rest.substr(0, rest.find('"'));
    }

    void take(std::string_view label, std::string_view value) {
        if (const auto node = node_of_label(label)) {
            take_node(*node, value);
            return;
        }
        const auto* const row = std::find_if(std::begin(kLabels), std::end(kLabels),
                                             [&](const Label& entry) { return entry.text == label; });
        if (row == std::end(kLabels))
            return;
        seen_.insert(row->key);
        value = trim(value.substr(0, value.find(" //")));  // a remark
        take_value(row->key, value);
    }

    void take_value(Key key, std::string_view value) {
        Cpu& cpu = result_.cpu;
        switch (key) {
            case Key::architecture:
                keep(cpu.architecture, word(value));
                break;
            case Key::cpus:
                keep(total_, scan_int(value));
                break;
            case Key::online:
                keep(online_, cpu_ranges(value));
                break;
            case Key::offline:
                if (const auto cpus = cpu_ranges(value); cpus && !cpu.offline)
                    cpu.offline = cpu_list(*cpus);
                break;
            case Key::vendor:
                keep(cpu.vendor, word(value));
                break;
            case Key::model:
                begin_kind(value);
                break;
            case Key::threads:
                cpu.threads_per_core = std::max(cpu.threads_per_core, scan_int(value));
                break;
            case Key::cores:
                add_cores(scan_int(value));
                break;
            case Key::sockets:
                cpu.sockets = std::max(cpu.sockets, scan_int(value));
                break;
            default:
                take_rest(key, value);
                break;
        }
    }

    void take_rest(Key key, std::string_view value) {
        Cpu& cpu = result_.cpu;
        switch (key) {
            case Key::boost:
                keep(cpu.boost, switch_of(value));
                break;
            case Key::max_mhz:
                keep(cpu.max_khz, khz_of(value));
                break;
            case Key::min_mhz:
                keep(cpu.min_khz, khz_of(value));
                break;
            case Key::l1d:
                keep(cpu.l1d_bytes, cache_of(value).bytes);
                break;
            case Key::l1i:
                keep(cpu.l1i_bytes, cache_of(value).bytes);
                break;
            case Key::l2:
                keep(cpu.l2_bytes, cache_of(value).bytes);
                break;
            case Key::l3:
                keep(cpu.l3_bytes, cache_of(value).bytes);
                keep(cpu.l3_instances, cache_of(value).instances);
                break;
            case Key::hypervisor:
                keep(result_.hypervisor_vendor, word(value));
                break;
            default:
                break;
        }
    }

    static std::optional<std::string> word(std::string_view value) {
        const std::string_view first = value.substr(0, value.find(' '));
        return first.empty() || first == "-" ? std::nullopt : std::optional<std::string>(first);
    }

    /// Several kinds of cores are one block each, which begins with its model.
    void begin_kind(std::string_view value) {
        const std::string name = one_blank(value);
        if (name.empty() || name == "-")
            return;
        const bool known = !models_.insert(name).second;
        repeats_ = known;
        if (!known && result_.cpu.model)
            *result_.cpu.model += "/" + name;
        else if (!known)
            result_.cpu.model = name;
    }

    /// A text may hold the same output twice: cores of a model count once.
    void add_cores(const std::optional<int>& cores) {
        std::optional<int>& sum = result_.cpu.cores_per_socket;
        if (!cores || repeats_ || (models_.size() <= 1 && sum))
            return;
        if (*cores <= kHighestCpu)
            sum = sum.value_or(0) + *cores;
    }

    void take_node(int id, std::string_view value) {
        if (result_.numa_nodes.size() >= kMostNodes)
            return;
        const bool known = std::any_of(result_.numa_nodes.begin(), result_.numa_nodes.end(),
                                       [&](const NumaNode& node) { return node.id == id; });
        const auto cpus = known ? std::nullopt : cpu_ranges(value);
        if (!cpus)
            return;
        NumaNode node;
        node.id = id;
        node.cpus = cpu_list(*cpus);
        result_.numa_nodes.push_back(std::move(node));
    }

    void finish() {
        Cpu& cpu = result_.cpu;
        if (online_ && !online_->empty()) {
            cpu.online = cpu_list(*online_);
            cpu.logical_cpus = count_cpus(*online_);
        } else if (!seen_.contains(Key::offline)) {
            cpu.logical_cpus = total_;
        }
        // Clusters of cores (Arm) that count as sockets need not have the same size.
        const bool all_online = !cpu.offline || cpu.offline->empty();
        if (all_online && cpu.logical_cpus && cpu.sockets && cpu.cores_per_socket &&
            std::int64_t{*cpu.sockets} * *cpu.cores_per_socket > *cpu.logical_cpus) {
            result_.cores_unread =
                fmt::format("lscpu counts {} sockets of {} cores, more than its {} CPUs: cores a socket are not known",
                            *cpu.sockets, *cpu.cores_per_socket, *cpu.logical_cpus);
            cpu.cores_per_socket.reset();
        }
    }

    Lscpu result_;
    std::set<Key> seen_;
    std::set<std::string> models_;
    std::optional<int> total_;
    std::optional<CpuRanges> online_;
    bool repeats_ = false;
};

/// "node 0 size: 773676 MB"
void take_numactl_line(std::string_view line, std::vector<NumaNode>& nodes) {
    const auto id = scan_int(line.substr(5));
    const std::size_t colon = line.find(':');
    const std::string_view head = line.substr(0, colon);
    if (!id || colon == kNone || *id >= kMostNodes)
        return;
    auto node = std::find_if(nodes.begin(), nodes.end(), [&](const NumaNode& entry) { return entry.id == *id; });
    if (node == nodes.end()) {
        nodes.emplace_back();
        node = nodes.end() - 1;
        node->id = *id;
    }
    const std::string_view value = trim(line.substr(colon + 1));
    if (head.ends_with(" cpus")) {
        if (const auto cpus = cpu_ranges(value); cpus && !node->cpus)
            node->cpus = cpu_list(*cpus);
    } else if (head.ends_with(" size") && value.ends_with(" MB")) {
        if (const auto megabytes = scan_int(value); megabytes && !node->memory_bytes)
            node->memory_bytes = static_cast<std::int64_t>(*megabytes) << 20;
    }
}

/// "  0:  10  32"
void take_distances(std::string_view line, std::vector<NumaNode>& nodes) {
    const auto id = scan_int(line);
    const std::size_t colon = line.find(':');
    const auto node =
        std::find_if(nodes.begin(), nodes.end(), [&](const NumaNode& entry) { return id && entry.id == *id; });
    if (node == nodes.end() || colon == kNone || !node->distances.empty())
        return;
    std::string_view rest = trim(line.substr(colon + 1));
    while (const auto distance = scan_int(rest)) {
        node->distances.push_back(*distance);
        rest = trim(rest.substr(std::min(rest.find(' '), rest.size())));
    }
}

}  // namespace

std::optional<Lscpu> read_lscpu(std::string_view text) {
    return Reader().read(text);
}

std::vector<NumaNode> read_numactl(std::string_view text) {
    std::vector<NumaNode> nodes;
    bool open = false, distances = false;
    for (const std::string_view raw : text_lines(text)) {
        const std::string_view line = trim(raw);
        if (line.starts_with("available: ") && line.find(" nodes (") != kNone)
            open = true;
        else if (open && line.starts_with("node distances:"))
            distances = true;
        else if (open && distances)
            take_distances(line, nodes);
        else if (open && line.starts_with("node "))
            take_numactl_line(line, nodes);
    }
    return nodes;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep_notes.hpp"

#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

/// "all_gather over 4 ranks: 8, 16, 32", a line a collective and count; each size once.
std::string list_sizes(const std::vector<SweepPoint>& points) {
    std::string text;
    const auto same_series = [](const SweepPoint& a, const SweepPoint& b) {
        return a.collective == b.collective && a.ranks == b.ranks;
    };
    for (auto begin = points.begin(); begin != points.end();) {
        const auto end =
            std::find_if_not(begin, points.end(), [&](const SweepPoint& point) { return same_series(*begin, point); });
        std::set<std::int64_t> sizes;
        std::for_each(begin, end, [&sizes](const SweepPoint& point) { sizes.insert(point.requested_bytes); });
        text += fmt::format("{}{} ({}):", text.empty() ? "" : "; ", collective(begin->collective).name, begin->ranks);
        for (const std::int64_t size : sizes) {
            text += ' ' + format_size(size);
        }
        begin = end;
    }
    return text;
}

}  // namespace

std::string describe(const Collective& row, const SweepPoint& point) {
    return fmt::format("{}, {} rank{}, {}", row.name, point.ranks, point.ranks == 1 ? "" : "s",
                       format_size(point.requested_bytes));
}

Finding memory_note(std::int64_t wanted_bytes, std::int64_t fits_bytes) {
    Finding note;
    note.severity = Severity::note;
    note.check = "perf.memory";
    note.subject = "-e " + format_size(wanted_bytes);
    note.title = {fmt::format("The largest size is reduced to {}", format_size(fits_bytes)),
                  fmt::format("最大数据量减小到 {}", format_size(fits_bytes))};
    note.evidence = {"Each rank needs two buffers of the largest size; more does not fit into the available memory.",
                     "每个 rank 需要两个最大数据量的缓冲区；可用内存放不下更大的。"};
    note.advice = {"Free memory, or start fewer ranks on a host, to measure larger sizes.",
                   "要测更大的数据量，请释放内存，或减少每台主机的 rank 数。"};
    return note;
}

Finding skipped_note(const std::vector<SweepPoint>& skipped) {
    Finding note;
    note.severity = Severity::note;
    note.check = "perf.sizes";
    note.subject = "-b -e";
    note.title = {"Sizes that round to nothing or to the size before are left out",
                  "取整后为零或与前一个相同的数据量已跳过"};
    const std::string list = list_sizes(skipped);
    note.evidence = {
        "Sizes are rounded down to whole elements; where each rank has its own share, that to 16 bytes. Collective "
        "(ranks): sizes: " +
            list,
        "大小向下取整到整数个元素；按 rank 均分时，每份取整到 16 字节。集合操作（rank 数）：数据量：" + list};
    return note;
}

Finding unsupported_note(const std::vector<SweepPoint>& points, const std::string& library) {
    std::string list;
    std::set<std::string> seen;
    for (const SweepPoint& point : points) {
        std::string pair(data_type_name(point.type));
        if (point.op) {
            pair += '/' + std::string(reduce_op_name(*point.op));
        }
        if (seen.insert(pair).second) {
            list += (list.empty() ? "" : ", ") + pair;
        }
    }
    Finding note;
    note.severity = Severity::note;
    note.check = "perf.support";
    note.subject = "-d -o";
    note.title = {"The collective library does not have all types and operations",
                  "集合通信库不支持部分数据类型或操作"};
    note.evidence = {fmt::format("{}: not measured: {}", library, list), fmt::format("{}：未测：{}", library, list)};
    return note;
}

}  // namespace gpuadapt

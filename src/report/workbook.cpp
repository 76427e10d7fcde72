// SPDX-License-Identifier: Apache-2.0
#include "report/data_sheets.hpp"
#include "report/facts.hpp"
#include "report/topology_sheet.hpp"
#include "report/xlsx.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/report/workbook.hpp>

#include <algorithm>

namespace gpuadapt::report {

class Workbook::Impl {
  public:
    Impl(const std::string& path, WorkbookContext context)
        : context_(std::move(context)),
          file_(path, title(), context_.started),
          environment_(sheet(0), context_),
          data_(file_, sheet(1), context_.lang) {
        for (std::size_t i = 2; i < kSheets.size(); ++i)
            rest_.push_back(&sheet(i));
    }

    bool add_table(const Table& table) {
        if (!is_perf_table(table))
            return false;
        std::vector<PerfPoint> points;
        points.reserve(table.rows.size());
        for (const Row& row : table.rows)
            points.push_back(perf_point(table, row));
        const BlockName name = block_name(table);
        environment_.add_block(name, points, log_items(table));
        data_.add_block(name, points);
        file_.check();
        return true;
    }

    void finish(const Record& judged) {
        environment_.finish(judged);
        if (data_.rows() == 0)
            write_unmeasured_sheet(*data_sheet_, kSheets[1], context_);
        write_unmeasured_sheet(*rest_[0], kSheets[2], context_);
        write_unmeasured_sheet(*rest_[1], kSheets[3], context_);
        write_topology_sheet(*rest_[2], context_);
        file_.finish();
    }

  private:
    [[nodiscard]] std::string title() const {
        return context_.lang == Lang::zh ? "服务器适配测试报告" : "Server qualification report";
    }

    XlsxSheet& sheet(std::size_t index) {
        XlsxSheet& added = file_.add_sheet(std::string(kSheets[index].name.get(context_.lang)));
        if (index == 1)
            data_sheet_ = &added;
        return added;
    }

    WorkbookContext context_;
    XlsxSheet* data_sheet_ = nullptr;
    XlsxFile file_;
    EnvironmentSheet environment_;
    TestDataSheet data_;
    std::vector<XlsxSheet*> rest_;
};

Workbook::Workbook(const std::string& path, WorkbookContext context)
    : impl_(std::make_unique<Impl>(path, std::move(context))) {}
Workbook::~Workbook() = default;
Workbook::Workbook(Workbook&&) noexcept = default;
Workbook& Workbook::operator=(Workbook&&) noexcept = default;

bool Workbook::add_table(const Table& table) {
    return impl_->add_table(table);
}

void Workbook::finish(const Record& judged) {
    impl_->finish(judged);
}

std::vector<const Table*> ordered_perf_tables(const Record& record) {
    struct Place {
        const Table* table;
        std::size_t collective;  ///< by first appearance, which a resumed run keeps
        std::int64_t ranks;
    };
    std::vector<std::string> collectives;
    std::vector<Place> places;
    for (const Table& table : record.tables) {
        if (!is_perf_table(table))
            continue;
        const std::string collective = label_of(table, "collective");
        auto found = std::find(collectives.begin(), collectives.end(), collective);
        if (found == collectives.end())
            found = collectives.insert(found, collective);
        places.push_back({&table, static_cast<std::size_t>(found - collectives.begin()),
                          parse_integer(label_of(table, "ranks")).value_or(0)});
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return a.collective != b.collective ? a.collective < b.collective : a.ranks < b.ranks;
    });
    std::vector<const Table*> tables;
    tables.reserve(places.size());
    for (const Place& place : places)
        tables.push_back(place.table);
    return tables;
}

WorkbookContext workbook_context(const Record& record) {
    WorkbookContext context;
    context.machines = record.machines;
    context.launch = record.launch;
    context.started = record.started;
    return context;
}

void write_workbook(const std::string& path, const Record& record, const WorkbookContext& context) {
    Workbook workbook(path, context);
    for (const Table* table : ordered_perf_tables(record))
        workbook.add_table(*table);
    workbook.finish(record);
}

}  // namespace gpuadapt::report

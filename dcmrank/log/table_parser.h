#pragma once

#include "dcmrank/log/format.h"
#include "dcmrank/table/list_cell.h"
#include "dcmrank/table/table_pages.h"

namespace dcmrank {

/// Pages of the rows of a table, of any kind of text: `Rows` reads one.
template <class Rows>
class TableParser : public LogParser {
 public:
  template <class Shape>
  TableParser(ImpressionSink& sink, LogReport& report, const Shape& shape)
      : report_(&report), rows_(shape), pages_(sink, report, shape.layout) {}

  void line(std::string_view line) override {
    if (trimmed(line).empty()) return;
    if (const auto fault = rows_.read(line, row_)) {
      pages_.spoil();
      return report_->note(*fault, line);
    }
    pages_.add(row_, line);
  }
  void finish() override { pages_.finish(); }
  void cut() override { pages_.drop(); }

 private:
  LogReport* report_;
  Rows rows_;
  TablePages pages_;
  TableRow row_;
};

}  // namespace dcmrank

#pragma once

#include <string>

#include "dcmrank/log/format.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/table/list_cell.h"
#include "dcmrank/table/table_pages.h"

namespace dcmrank {

/// Pages of the rows of a table, of any kind of text: `Rows` reads one. What it can still read of a
/// faulty one is in the row, the rest empty.
template <class Rows>
class TableParser : public LogParser {
 public:
  template <class Shape>
  TableParser(ImpressionSink& sink, LogReport& report, const Shape& shape)
      : report_(&report), rows_(shape), pages_(sink, report, shape.layout) {}

  void line(std::string_view line) override {
    if (trimmed(line).empty()) return;
    if (rows_.is_header(line)) return pages_.finish();  // of tables one after the other
    if (const auto fault = rows_.read(line, row_)) {
      pages_.lose(row_);
      return report_->note(*fault, line);
    }
    pages_.add(row_, line);
  }
  void lost(std::string_view line) override {
    text_.assign(line);
    text_.append(kPadding, '\0');
    rows_.read_lost(std::string_view(text_).substr(0, line.size()), row_);
    pages_.lose(row_);
  }
  void finish() override { pages_.finish(); }
  void cut() override { pages_.drop(); }

 private:
  LogReport* report_;
  Rows rows_;
  TablePages pages_;
  TableRow row_;
  std::string text_;
};

}  // namespace dcmrank

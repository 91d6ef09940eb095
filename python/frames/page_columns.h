#pragma once

#include "dcmrank/page/impression.h"
#include "frames/table.h"

namespace dcmrank::python {

/// The pages of a log, or of a part of one, as the columns of a frame.
class PageColumns : public ImpressionSink {
 public:
  void add(const Impression& impression) override;
  /// Adds pages that came later.
  void append(const PageColumns& other);

 private:
  friend Table table_of(PageColumns pages);

  Column query_ = make_column("query", Column::Kind::kText);
  Column items_ = make_column("items", Column::Kind::kText, true);
  Column clicks_ = make_column("clicks", Column::Kind::kFlag, true);
  Column session_ = make_column("session", Column::Kind::kKey);
  bool has_session_ = false;
};

/// query, items, clicks, and session where the log has sessions.
Table table_of(PageColumns pages);

}  // namespace dcmrank::python

#include "frames/count_columns.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/fit/counts_rows.h"
#include "frames/arrow_columns.h"
#include "frames/nb.h"

namespace dcmrank::python {
namespace {

constexpr std::array<const char*, 6> kNumbers{"n0", "n1", "n2", "n3", "n4", "n5"};
static_assert(kNumbers.size() == std::tuple_size_v<decltype(CountsRow::counts)>);

Typed count_column(const char* name, const Typed& batch) {
  const auto found = find_column(name, batch);
  if (found) return *found;
  throw InputError(fmt::format("the rows of counts have no column {}", name));
}

// One batch of rows.
class CountColumns {
 public:
  explicit CountColumns(const Typed& batch)
      : query_(ids_of("query", count_column("query", batch))),
        kind_(whole_numbers_of("kind", count_column("kind", batch))),
        key_(ids_of("key", count_column("key", batch))) {
    for (std::size_t n = 0; n < kNumbers.size(); ++n) {
      numbers_[n] = whole_numbers_of(kNumbers[n], count_column(kNumbers[n], batch));
    }
  }

  CountsRow row(std::int64_t i, std::array<char, 2 * kDigits>& digits) const {
    bool whole = query_.has(i) && kind_.has(i) && key_.has(i);
    for (const Numbers& numbers : numbers_) whole = whole && numbers.has(i);
    if (!whole) throw InputError(fmt::format("row {} of the counts has a missing value", i));
    const std::int64_t kind = kind_.at(i);
    if (kind < 0 || kind >= static_cast<std::int64_t>(kRowKinds)) {
      throw InputError(fmt::format("row {} of the counts is of kind {}", i, kind));
    }
    CountsRow row{query_.at(i, digits.data()), static_cast<RowKind>(kind),
                  key_.at(i, digits.data() + kDigits)};
    for (std::size_t n = 0; n < numbers_.size(); ++n) row.counts[n] = numbers_[n].at(i);
    return row;
  }

 private:
  Ids query_;
  Numbers kind_;
  Ids key_;
  std::array<Numbers, kNumbers.size()> numbers_;
};

}  // namespace

Table table_of_counts(const LogStatistics& counted) {
  std::vector<Column> columns{make_column("query", Column::Kind::kText),
                              make_column("kind", Column::Kind::kWhole),
                              make_column("key", Column::Kind::kText)};
  for (const char* name : kNumbers) columns.push_back(make_column(name, Column::Kind::kWhole));
  visit_rows(counted, [&](const CountsRow& row) {
    columns[0].add(row.query);
    columns[1].whole.push_back(static_cast<std::int64_t>(row.kind));
    columns[2].add(row.key);
    for (std::size_t n = 0; n < row.counts.size(); ++n) {
      columns[3 + n].whole.push_back(row.counts[n]);
    }
  });
  return Table(std::move(columns));
}

void add_count_columns(ArrowArrayStream& stream, LogStatistics& counted) {
  visit_batches(stream, "query, kind, key and counts", [&](const std::shared_ptr<Batch>& batch) {
    const CountColumns columns(batch->typed());
    std::array<char, 2 * kDigits> digits{};
    for (std::int64_t i = 0; i < batch->array->length; ++i) {
      add_row(columns.row(i, digits), counted);
    }
  });
}

}  // namespace dcmrank::python

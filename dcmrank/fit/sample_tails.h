#pragma once

#include <functional>
#include <memory>

#include "dcmrank/fit/tails.h"

namespace dcmrank {

/// The tails of a sample, in its numbers: in memory, query by query in a fixed order; or read from
/// the log each time, in the order of the log. A value whose copies share what they hold; threads
/// may share it where it is in memory.
class SampleTails {
 public:
  /// Reads all tails again.
  using Source = std::function<void(const TailVisitor&)>;

  SampleTails() = default;
  explicit SampleTails(Source source) : source_(std::move(source)) {}

  /// Takes those of `table` whose query has a number; numbers that are left out are Tail::kNone.
  SampleTails(const TailTable& table, std::span<const std::uint32_t> query_of,
              std::span<const std::uint32_t> item_of, std::size_t queries);

  /// Whether there are any to visit: somebody asked for them.
  explicit operator bool() const { return rows_ != nullptr || source_; }
  bool in_memory() const { return rows_ != nullptr; }
  /// How many are in memory.
  std::size_t size() const { return in_memory() ? rows_->rows.size() : 0; }

  /// All of them.
  void operator()(const TailVisitor& visit) const;

  /// Those of one query, where they are in memory.
  template <class Visit>
  void of_query(std::size_t query, Visit visit) const {
    for (std::size_t n = rows_->begin[query]; n < rows_->begin[query + 1]; ++n) visit(row(n));
  }

 private:
  struct Row {
    std::uint32_t query;
    std::uint32_t last;
    std::uint32_t clicked;
    std::uint32_t size;
    std::size_t begin;
    double impressions;
  };
  // Flat in memory.
  struct Rows {
    std::vector<Row> rows;
    std::vector<std::uint32_t> items;
    std::vector<std::size_t> begin;  // of the rows of each query, and their end

    std::span<const std::uint32_t> items_of(const Row& row) const {
      return std::span(items).subspan(row.begin, row.size);
    }
    void sort();
  };

  Tail row(std::size_t n) const {
    const Row& at = rows_->rows[n];
    return {at.query, at.last, at.clicked, rows_->items_of(at), at.impressions};
  }

  std::shared_ptr<const Rows> rows_;
  Source source_;
};

}  // namespace dcmrank

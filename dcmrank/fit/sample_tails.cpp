#include "dcmrank/fit/sample_tails.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dcmrank {

void SampleTails::Rows::sort() {
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const auto head = [](const Row& row) { return std::tie(row.query, row.last, row.clicked); };
    if (head(a) != head(b)) return head(a) < head(b);
    const auto x = items_of(a);
    const auto y = items_of(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
}

SampleTails::SampleTails(const TailTable& table, std::span<const std::uint32_t> query_of,
                         std::span<const std::uint32_t> item_of, std::size_t queries) {
  auto all = std::make_shared<Rows>();
  for (std::uint32_t n = 0; n < table.size(); ++n) {
    const Tail tail = table[n];
    const std::uint32_t query = query_of[tail.query];
    if (query == Tail::kNone) continue;
    const std::size_t begin = all->items.size();
    for (const std::uint32_t i : tail.items) all->items.push_back(item_of[i]);
    if (table.kind() == TailKind::kSets) {
      std::sort(all->items.begin() + static_cast<std::ptrdiff_t>(begin), all->items.end());
    }
    all->rows.push_back({query, tail.last,
                         tail.clicked == Tail::kNone ? Tail::kNone : item_of[tail.clicked],
                         static_cast<std::uint32_t>(tail.items.size()), begin, tail.impressions});
  }
  all->sort();
  all->begin.assign(queries + 1, 0);
  for (const Row& row : all->rows) ++all->begin[row.query + 1];
  for (std::size_t q = 0; q < queries; ++q) all->begin[q + 1] += all->begin[q];
  rows_ = std::move(all);
}

void SampleTails::operator()(const TailVisitor& visit) const {
  if (!in_memory()) return source_(visit);
  for (std::size_t n = 0; n < rows_->rows.size(); ++n) visit(row(n));
}

}  // namespace dcmrank

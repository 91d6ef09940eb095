// What the tests of open_browsing.h share: rows of items, kept as a service keeps them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dcmrank/policy/open_browsing.h"

namespace dcmrank {

using Rows = std::vector<std::vector<double>>;

// A list of a few items that was shown, and what its user did with the part on the screen.
struct ShownPage {
  std::vector<Item> items;
  std::vector<std::uint8_t> clicks;
};

// Lists of 5 of 7 items, of which the user saw 0 to 5.
inline std::vector<ShownPage> random_pages(std::size_t count) {
  Rng rng(11);
  std::vector<ShownPage> pages(count);
  for (ShownPage& page : pages) {
    page.items = {0, 1, 2, 3, 4, 5, 6};
    for (std::size_t k = 0; k < 5; ++k) std::swap(page.items[k], page.items[k + rng.below(7 - k)]);
    page.items.resize(5);
    page.clicks.resize(rng.below(6));
    for (std::uint8_t& click : page.clicks) click = rng.below(3) == 0 ? 1 : 0;
  }
  return pages;
}

inline Rows rows_of(const OpenBrowsing& policy, std::size_t items) {
  Rows rows;
  for (Item e = 0; e < items; ++e) policy.get_item(e, rows.emplace_back(policy.item_row()));
  return rows;
}

inline void put_rows(OpenBrowsing& policy, const Rows& rows) {
  policy.open(rows.size());
  for (Item e = 0; e < rows.size(); ++e) policy.put_item(e, rows[e]);
}

inline std::vector<double> fit_shared(const OpenBrowsing& policy, const Rows& rows) {
  return policy.fit_shared(std::vector<std::span<const double>>(rows.begin(), rows.end()));
}

// What a page adds to rows that there are already.
inline Rows added(const Rows& before, const ShownPage& page, std::span<const double> shared = {}) {
  OpenBrowsing policy(top_down(5));
  put_rows(policy, before);
  policy.put_shared(shared);
  policy.update({page.items, {}, {}}, page.clicks);
  Rows after = rows_of(policy, before.size());
  for (std::size_t e = 0; e < after.size(); ++e) {
    for (std::size_t n = 0; n < after[e].size(); ++n) after[e][n] -= before[e][n];
  }
  return after;
}

inline void add_rows(Rows& rows, const Rows& more, double sign) {
  for (std::size_t e = 0; e < rows.size(); ++e) {
    for (std::size_t n = 0; n < rows[e].size(); ++n) rows[e][n] += sign * more[e][n];
  }
}

inline Rows nothing() { return Rows(7, std::vector<double>(OpenBrowsing(top_down(5)).item_row())); }

}  // namespace dcmrank

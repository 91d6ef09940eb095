#include "dcmrank/policy/toprank.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

constexpr double kTopRankC = 3.43;  // 4 sqrt(2/pi) / erf(sqrt 2), Theorem 1

// The number of a pair of items a < b.
std::size_t pair_number(Item a, Item b) { return std::size_t{b} * (b - 1) / 2 + a; }

std::size_t few_items(std::size_t items) {
  if (items <= TopRank::kMostItems) return items;
  throw InputError(
      fmt::format("toprank compares every pair of items: it takes at most {} of them, not {}",
                  TopRank::kMostItems, items));
}

}  // namespace

TopRank::TopRank(const Shape& shape, PositionOrder order)
    : items_(few_items(shape.items)),
      order_(std::move(order)),
      log_confidence_(
          same_log(kTopRankC * static_cast<double>(std::max<std::uint64_t>(shape.horizon, 1)))),
      pairs_(items_ * (items_ - 1) / 2),
      beats_(items_ * items_),
      block_(items_),
      by_block_(items_) {
  falling_.reserve(items_);
  sort_blocks();
}

TopRank::Pair& TopRank::pair(Item a, Item b) { return pairs_[pair_number(a, b)]; }

void TopRank::sort_blocks() {
  for (Item e = 0; e < items_; ++e) by_block_[e] = e;
  std::sort(by_block_.begin(), by_block_.end(),
            [&](Item a, Item b) { return std::pair(block_[a], a) < std::pair(block_[b], b); });
}

// `proposed` holds the block of every position, then the items of the last of them that did not
// find a place.
void TopRank::rank(Rng& rng, Ranking& ranking) {
  const std::size_t positions = order_.size();
  ranking.items.resize(positions);
  ranking.proposed.resize(positions);
  std::size_t n = 0;  // next to be placed
  while (n < positions) {
    const std::uint32_t block = block_[by_block_[n]];
    std::size_t end = n;
    while (end < items_ && block_[by_block_[end]] == block) ++end;
    rest_.assign(by_block_.begin() + static_cast<std::ptrdiff_t>(n),
                 by_block_.begin() + static_cast<std::ptrdiff_t>(end));
    for (; n < std::min(end, positions); ++n) {
      const std::size_t chosen = rng.below(rest_.size());
      ranking.items[order_[n]] = rest_[chosen];
      ranking.proposed[order_[n]] = block;
      rest_[chosen] = rest_.back();
      rest_.pop_back();
    }
  }
  ranking.proposed.insert(ranking.proposed.end(), rest_.begin(), rest_.end());
}

void TopRank::update(const Ranking& shown, Clicks clicks) {
  ++pages_;
  const std::size_t positions = order_.size();
  const std::uint32_t last = shown.proposed[order_.back()];
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    if (clicks[k] == 0) continue;
    const std::uint32_t block = shown.proposed[k];
    for (std::size_t other = 0; other < positions; ++other) {
      const bool clicked = other < clicks.size() && clicks[other] != 0;
      if (!clicked && shown.proposed[other] == block) compare(shown.items[k], shown.items[other]);
    }
    if (block != last) continue;
    for (std::size_t n = positions; n < shown.proposed.size(); ++n) {
      compare(shown.items[k], shown.proposed[n]);
    }
  }
}

// One of two in the same block was clicked and the other not. A victory over an item of an earlier
// block, which only lists of long ago can show, would go in a circle.
void TopRank::compare(Item clicked, Item other) {
  Pair& seen = clicked < other ? pair(clicked, other) : pair(other, clicked);
  seen.difference += clicked < other ? 1 : -1;
  ++seen.count;
  const auto ahead = static_cast<double>(clicked < other ? seen.difference : -seen.difference);
  const auto count = static_cast<double>(seen.count);
  if (ahead < std::sqrt(2 * count * (log_confidence_ + same_log(count) / 2))) return;
  if (!beats(clicked, other) && block_[clicked] <= block_[other]) add_victory(clicked, other);
}

void TopRank::add_victory(Item better, Item worse) {
  beats_[better * items_ + worse] = 1;
  if (block_[worse] > block_[better]) return;
  block_[worse] = block_[better] + 1;
  falling_.assign(1, worse);
  while (!falling_.empty()) {  // those below what falls fall too
    const Item fallen = falling_.back();
    falling_.pop_back();
    for (Item e = 0; e < items_; ++e) {
      if (!beats(fallen, e) || block_[e] > block_[fallen]) continue;
      block_[e] = block_[fallen] + 1;
      falling_.push_back(e);
    }
  }
  sort_blocks();
}

// The blocks that follow from all victories; false where they go in a circle.
bool TopRank::place_beaten() {
  std::fill(block_.begin(), block_.end(), 0);
  for (std::size_t rounds = 0; rounds <= items_; ++rounds) {
    bool changed = false;
    for (Item better = 0; better < items_; ++better) {
      for (Item worse = 0; worse < items_; ++worse) {
        if (!beats(better, worse) || block_[worse] > block_[better]) continue;
        block_[worse] = block_[better] + 1;
        changed = true;
      }
    }
    if (changed) continue;
    sort_blocks();
    return true;
  }
  return false;
}

nlohmann::ordered_json TopRank::save() const {
  auto pairs = nlohmann::ordered_json::array();
  auto beats = nlohmann::ordered_json::array();
  for (Item b = 0; b < items_; ++b) {
    for (Item a = 0; a < b; ++a) {
      const Pair& seen = pairs_[pair_number(a, b)];
      if (seen.count > 0) pairs.push_back({a, b, seen.difference, seen.count});
    }
  }
  for (Item a = 0; a < items_; ++a) {
    for (Item b = 0; b < items_; ++b) {
      if (this->beats(a, b)) beats.push_back({a, b});
    }
  }
  return {{"pages", pages_}, {"pairs", std::move(pairs)}, {"beats", std::move(beats)}};
}

void TopRank::load(const nlohmann::ordered_json& state) {
  TopRank loaded = *this;
  std::fill(loaded.pairs_.begin(), loaded.pairs_.end(), Pair{});
  std::fill(loaded.beats_.begin(), loaded.beats_.end(), 0);
  loaded.pages_ = fields::whole_number(state, "pages", 0, UINT64_MAX);
  const auto item = [&](const nlohmann::ordered_json& value, const char* what) {
    return static_cast<Item>(fields::to_whole_number(value, what, 0, items_ - 1));
  };
  for (const auto& row : fields::array(state, "pairs")) {
    if (!row.is_array() || row.size() != 4)
      throw InputError("\"pairs\" has a row not of 4 numbers");
    const Item a = item(row[0], "an item of \"pairs\"");
    const Item b = item(row[1], "an item of \"pairs\"");
    const double count = fields::to_number(row[3], "a count of \"pairs\"", {1, 0x1p53});
    const double ahead = fields::to_number(row[2], "a difference of \"pairs\"", {-count, count});
    if (a >= b) throw InputError("\"pairs\" has items that are not in order");
    loaded.pair(a, b) = {static_cast<std::int64_t>(ahead), static_cast<std::int64_t>(count)};
  }
  for (const auto& row : fields::array(state, "beats")) {
    if (!row.is_array() || row.size() != 2) throw InputError("\"beats\" has a row not of 2 items");
    const Item better = item(row[0], "an item of \"beats\"");
    const Item worse = item(row[1], "an item of \"beats\"");
    loaded.beats_[better * items_ + worse] = 1;
  }
  if (!loaded.place_beaten()) throw InputError("\"beats\" goes in a circle");
  *this = std::move(loaded);
}

}  // namespace dcmrank

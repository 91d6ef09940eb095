#include "dcmrank/page/impression.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace dcmrank {
void check_size(const Impression& impression) {
  const std::size_t items = impression.items.size();
  if (items - 1 < kMaxPositions && impression.clicks.size() == items) return;
  throw std::logic_error(
      fmt::format("an impression has {} items and clicks for {}: it must have "
                  "1 to {} items, and as many clicks, 0 or 1",
                  items, impression.clicks.size(), kMaxPositions));
}

namespace {

std::uint64_t begin_hash(const Id& query) { return query.first ^ mix64(query.second); }

std::uint64_t add_to_hash(std::uint64_t hash, const Id& item, bool click) {
  hash = (hash ^ item.first) * 0xbf58476d1ce4e5b9U;
  const std::uint64_t clicked = static_cast<std::uint64_t>(click) * kGolden;
  return (hash ^ (hash >> 29U) ^ item.second ^ clicked) * 0x94d049bb133111ebU;
}

// Without clicks, above each item and below the last.
void remember_hashes(const Impression& impression, std::vector<std::uint64_t>& hashes) {
  hashes.resize(impression.items.size() + 1);
  hashes[0] = begin_hash(impression.query);
  for (std::size_t k = 0; k < impression.items.size(); ++k) {
    hashes[k + 1] = add_to_hash(hashes[k], impression.items[k], false);
  }
}

// The place of the first click, or the end. Looks at all: where it is cannot be foretold.
std::size_t first_click(Clicks clicks) {
  std::size_t first = clicks.size();
  for (std::size_t k = clicks.size(); k > 0; --k) first = clicks[k - 1] != 0 ? k - 1 : first;
  return first;
}

constexpr std::size_t kAbreast = 4;

// Each step of a hash waits for the one before, so several are computed abreast.
std::uint64_t sum_abreast(std::span<const Impression, kAbreast> pages) {
  std::array<std::uint64_t, kAbreast> hashes{};
  std::size_t common = SIZE_MAX;
  for (std::size_t p = 0; p < kAbreast; ++p) {
    check_size(pages[p]);
    hashes[p] = begin_hash(pages[p].query);
    common = std::min(common, pages[p].items.size());
  }
  const auto add = [&](std::size_t p, std::size_t k) {
    hashes[p] = add_to_hash(hashes[p], pages[p].items[k], pages[p].clicks[k] != 0);
  };
  for (std::size_t k = 0; k < common; ++k) {
    for (std::size_t p = 0; p < kAbreast; ++p) add(p, k);
  }
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < kAbreast; ++p) {
    for (std::size_t k = common; k < pages[p].items.size(); ++k) add(p, k);
    sum += mix64(hashes[p]);
  }
  return sum;
}

}  // namespace

std::uint64_t sum_of_hashes(std::span<const Impression> impressions) {
  std::uint64_t sum = 0;
  for (; impressions.size() >= kAbreast; impressions = impressions.subspan(kAbreast)) {
    sum += sum_abreast(impressions.first<kAbreast>());
  }
  for (const Impression& impression : impressions) sum += hash_of(impression);
  return sum;
}

std::uint64_t hash_of(const Impression& impression) {
  check_size(impression);
  std::size_t begin = 0;
  std::uint64_t hash = 0;
  if (impression.memory != nullptr) {
    auto& hashes = impression.memory->hashes;
    if (hashes.empty()) remember_hashes(impression, hashes);
    begin = first_click(impression.clicks);
    hash = hashes[begin];
  } else {
    hash = begin_hash(impression.query);
  }
  for (std::size_t k = begin; k < impression.items.size(); ++k) {
    hash = add_to_hash(hash, impression.items[k], impression.clicks[k] != 0);
  }
  return mix64(hash);
}

}  // namespace dcmrank

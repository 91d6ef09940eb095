#include "dcmrank/page/impression.h"

namespace dcmrank {
namespace {

std::uint64_t begin_hash(const Id& query) { return query.first ^ mix64(query.second); }

std::uint64_t add_to_hash(std::uint64_t hash, const Id& item, bool click) {
  hash = (hash ^ item.first) * 0xbf58476d1ce4e5b9U;
  const std::uint64_t clicked = std::uint64_t{click} * kGolden;
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

}  // namespace

std::uint64_t hash_of(const Impression& impression) {
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

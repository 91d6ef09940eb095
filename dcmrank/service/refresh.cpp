// The part of the writer that keeps memory in step with a store to which other processes write.
#include <algorithm>
#include <utility>

#include "dcmrank/service/teacher.h"

namespace dcmrank::service {
namespace {

constexpr std::size_t kMostDeltas = 24;  // of a query, before they are summed up
constexpr std::size_t kLookedAt = 2000;  // queries of one look

constexpr std::uint64_t kCountHeldEvery = 10;

}  // namespace

// What was just added is in memory, and in the store under its number.
void Teacher::note_added(const Buckets& failed) {
  for (const auto& [key, added] : deltas_) {
    if (added.number == 0 || failed.test(bucket_of(key.model, key.query))) continue;
    const auto at = touched_.find(key);
    if (at == touched_.end()) continue;
    const std::unique_lock lock(at->second->mutex);
    auto& deltas = at->second->standing.deltas;
    deltas.push_back(added.number);
    if (deltas.size() > kMostDeltas) long_ones_.insert(key);
  }
}

void Teacher::fold_long_ones() {
  for (const QueryKey& key : std::exchange(long_ones_, {})) store_->fold(key);
}

void Teacher::refresh(std::uint64_t breaks) {
  if (std::exchange(breaks_, breaks) != breaks) cache_->clear();
  if (++refreshed_ % kCountHeldEvery == 0) count_held();
  const std::int64_t looked = QueryCache::now();
  auto used = cache_->take_used();
  for (const auto& entry : used) {
    const std::shared_lock lock(entry->mutex);
    if (entry->standing.deltas.size() > kMostDeltas) long_ones_.insert(entry->key);
  }
  fold_long_ones();
  for (std::size_t from = 0; from < used.size(); from += kLookedAt) {
    const auto some = std::span(used).subspan(from, std::min(kLookedAt, used.size() - from));
    // Only this thread changes a standing once it is loaded.
    std::vector<StoreWriter::Known> known;
    for (const auto& entry : some) known.push_back({&entry->key, &entry->standing});
    for (const StoreWriter::News& news : store_->refresh(known)) {
      QueryEntry& entry = *some[news.of];
      if (news.reload) {
        QueryState state;
        Standing standing;
        store_->load(entry.key, state, standing);
        const std::unique_lock lock(entry.mutex);
        entry.state = std::move(state);
        entry.standing = std::move(standing);
      } else {
        const std::unique_lock lock(entry.mutex);
        for (const auto& [number, delta] : news.deltas) {
          apply(entry.state, delta);
          entry.standing.deltas.push_back(number);
        }
      }
      cache_->measure(entry);
    }
    for (const auto& entry : some) entry->seen = looked;
  }
}

}  // namespace dcmrank::service

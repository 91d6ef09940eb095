// The part of the writer that keeps memory in step with a store to which other processes write.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "dcmrank/service/teacher.h"

namespace dcmrank::service {
namespace {

constexpr std::size_t kMostDeltas = 64;  // of a query, before they are summed up
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
    if (deltas.size() > kMostDeltas) long_ones_[key] = at->second;
  }
}

// Memory then knows what it knew, and what others had added: it need not be read again.
void Teacher::fold_long_ones() {
  const auto entries = std::exchange(long_ones_, {});
  std::vector<QueryKey> keys;
  keys.reserve(entries.size());
  for (const auto& [key, entry] : entries) keys.push_back(key);
  for (const StoreWriter::Folded& folded : store_->fold(keys, kMostDeltas / 2)) {
    QueryEntry& entry = *entries.at(keys[folded.of]);
    const std::unique_lock lock(entry.mutex);
    Standing& standing = entry.standing;
    if (standing.epoch != folded.epoch || standing.folds + 1 != folded.folds) continue;
    standing.folds = folded.folds;
    std::unordered_set<std::uint64_t> known(standing.deltas.begin(), standing.deltas.end());
    for (const auto& [number, delta] : folded.deltas) {
      if (known.erase(number) == 0) apply(entry.state, delta);
    }
    standing.deltas.assign(known.begin(), known.end());
  }
}

// A damaged one is left to whoever asks for it next; false then.
bool Teacher::load_again(QueryEntry& entry) {
  QueryState state;
  Standing standing;
  try {
    store_->load(entry.key, state, standing);
  } catch (const StorageError&) {
    throw;
  } catch (const std::runtime_error&) {
    metrics_->storage_errors.Increment();
    cache_->drop(entry.key);
    return false;
  }
  const std::unique_lock lock(entry.mutex);
  entry.state = std::move(state);
  entry.standing = std::move(standing);
  return true;
}

void Teacher::refresh(std::uint64_t breaks) {
  if (std::exchange(breaks_, breaks) != breaks) cache_->clear();
  if (++refreshed_ % kCountHeldEvery == 0) count_held();
  const std::int64_t looked = QueryCache::now();
  auto used = cache_->take_used();
  for (const auto& entry : used) {
    const std::shared_lock lock(entry->mutex);
    if (entry->standing.deltas.size() > kMostDeltas) long_ones_[entry->key] = entry;
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
        if (!load_again(entry)) continue;
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
  cache_->note_compared(looked);
}

}  // namespace dcmrank::service

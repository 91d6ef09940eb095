#include "dcmrank/service/cache.h"

#include <chrono>
#include <utility>

namespace dcmrank::service {

std::size_t QueryCache::size_of(const QueryEntry& entry) {
  constexpr std::size_t kOverhead = 192;  // of the list, the index and the allocator
  return sizeof(QueryEntry) + kOverhead + entry.key.query.size() + entry.state.bytes();
}

std::int64_t QueryCache::now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::shared_ptr<QueryEntry> QueryCache::get(std::int64_t model, std::string_view query,
                                            StoreReader& reader, bool pin) {
  Shard& shard = shard_of(model, query);
  std::unique_lock lock(shard.mutex);
  const auto at = shard.index.find(Key{model, query});
  if (at == shard.index.end()) {
    return load(shard, std::move(lock), model, query, reader, pin);
  }
  shard.recent.splice(shard.recent.begin(), shard.recent, at->second);
  auto entry = *at->second;
  const bool old = age_ && entry->pins == 0 && !pin && now() - entry->seen > *age_;
  const std::uint64_t pinned = entry->pinned += pin ? 1 : 0;
  entry->pins += pin ? 1 : 0;
  entry->used = true;
  lock.unlock();
  {
    const std::shared_lock loaded(entry->mutex);  // another thread may be loading it
    if (entry->failed) throw StorageError("the query could not be read");
  }
  return old ? load_again(shard, std::move(entry), pinned, reader) : entry;
}

std::shared_ptr<QueryEntry> QueryCache::load(Shard& shard, std::unique_lock<std::mutex> lock,
                                             std::int64_t model, std::string_view query,
                                             StoreReader& reader, bool pin) {
  auto entry = std::make_shared<QueryEntry>();
  entry->key = {model, std::string(query)};
  entry->pins = pin ? 1 : 0;
  entry->seen = now();
  std::unique_lock loading(entry->mutex);
  shard.recent.push_front(entry);
  shard.index.emplace(Key{model, entry->key.query}, shard.recent.begin());
  lock.unlock();
  loads_.fetch_add(1, std::memory_order_relaxed);
  try {
    reader.load(entry->key, entry->state, entry->standing);
  } catch (...) {
    entry->failed = true;
    loading.unlock();
    lock.lock();
    const auto at = shard.index.find(Key{model, query});
    if (at != shard.index.end() && *at->second == entry) {
      const auto place = at->second;
      shard.index.erase(at);
      shard.recent.erase(place);
    }
    throw;
  }
  const std::size_t size = size_of(*entry);
  loading.unlock();  // never both at once
  lock.lock();
  if (entry->bytes == 0 && !entry->dropped) {  // the writer may have used and measured it meanwhile
    entry->bytes = size;
    shard.bytes += size;
  }
  evict(shard);
  return entry;
}

// What is known stays where the store is away, and where the writer has changed it meanwhile: then
// it knows something that was perhaps not read.
std::shared_ptr<QueryEntry> QueryCache::load_again(Shard& shard, std::shared_ptr<QueryEntry> old,
                                                   std::uint64_t pinned, StoreReader& reader) {
  auto entry = std::make_shared<QueryEntry>();
  entry->key = old->key;
  entry->seen = now();
  loads_.fetch_add(1, std::memory_order_relaxed);
  try {
    reader.load(entry->key, entry->state, entry->standing);
  } catch (const StorageError&) {
    return old;
  }
  entry->bytes = size_of(*entry);
  const std::lock_guard lock(shard.mutex);
  if (old->pinned != pinned) return old;
  const auto at = shard.index.find(Key{old->key.model, old->key.query});
  if (at == shard.index.end() || *at->second != old) {
    entry->dropped = true;
    return entry;
  }
  const auto place = at->second;
  shard.index.erase(at);  // its key is text of the old one
  *place = entry;
  shard.index.emplace(Key{entry->key.model, entry->key.query}, place);
  shard.bytes = shard.bytes - old->bytes + entry->bytes;
  old->dropped = true;
  evict(shard);
  return entry;
}

void QueryCache::unpin(QueryEntry& entry) {
  Shard& shard = shard_of(entry.key.model, entry.key.query);
  const std::lock_guard lock(shard.mutex);
  --entry.pins;
}

void QueryCache::measure(QueryEntry& entry) {
  const std::size_t size = [&] {
    const std::shared_lock lock(entry.mutex);  // not both locks at once
    return size_of(entry);
  }();
  Shard& shard = shard_of(entry.key.model, entry.key.query);
  const std::lock_guard lock(shard.mutex);
  if (entry.dropped) return;
  shard.bytes = shard.bytes - entry.bytes + size;
  entry.bytes = size;
  evict(shard);
}

void QueryCache::drop(const QueryKey& key) {
  Shard& shard = shard_of(key.model, key.query);
  const std::lock_guard lock(shard.mutex);
  const auto at = shard.index.find(Key{key.model, key.query});
  if (at == shard.index.end()) return;
  const auto place = at->second;
  (*place)->dropped = true;
  shard.bytes -= (*place)->bytes;
  shard.index.erase(at);
  shard.recent.erase(place);
}

void QueryCache::drop(std::int64_t model) {
  std::vector<QueryKey> keys;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& entry : shard.recent) {
      if (entry->key.model == model) keys.push_back(entry->key);
    }
  }
  for (const QueryKey& key : keys) drop(key);
}

void QueryCache::clear() {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& entry : shard.recent) entry->dropped = true;
    shard.index.clear();
    shard.recent.clear();
    shard.bytes = 0;
  }
}

// They are the first ones: whatever is used goes to the front.
std::vector<std::shared_ptr<QueryEntry>> QueryCache::take_used() {
  std::vector<std::shared_ptr<QueryEntry>> result;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& entry : shard.recent) {
      if (!entry->used) break;
      entry->used = false;
      result.push_back(entry);
    }
  }
  return result;
}

void QueryCache::evict(Shard& shard) {
  auto at = shard.recent.end();
  while (shard.bytes > most_ && at != shard.recent.begin()) {
    --at;
    QueryEntry& entry = **at;
    if (entry.pins > 0 || entry.bytes == 0) continue;  // in use by the writer, or being loaded
    shard.bytes -= entry.bytes;
    shard.index.erase(Key{entry.key.model, entry.key.query});
    at = shard.recent.erase(at);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
}

std::size_t QueryCache::bytes() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    sum += shard.bytes;
  }
  return sum;
}

std::size_t QueryCache::queries() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    sum += shard.recent.size();
  }
  return sum;
}

}  // namespace dcmrank::service

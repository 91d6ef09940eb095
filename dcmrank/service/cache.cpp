#include "dcmrank/service/cache.h"

#include <utility>

namespace dcmrank::service {

std::size_t QueryCache::size_of(const QueryEntry& entry) {
  constexpr std::size_t kOverhead = 192;  // of the list, the index and the allocator
  return sizeof(QueryEntry) + kOverhead + entry.name.size() + entry.state.bytes();
}

std::shared_ptr<QueryEntry> QueryCache::get(std::int64_t model, std::string_view query,
                                            QueryReader& reader, bool pin) {
  Shard& shard = shard_of(model, query);
  std::unique_lock lock(shard.mutex);
  const auto at = shard.index.find(Key{model, query});
  if (at == shard.index.end()) {
    return load(shard, std::move(lock), model, query, reader, pin);
  }
  shard.recent.splice(shard.recent.begin(), shard.recent, at->second);
  auto entry = *at->second;
  entry->pins += pin ? 1 : 0;
  lock.unlock();
  const std::shared_lock loaded(entry->mutex);  // another thread may be loading it
  if (entry->failed) throw StorageError("the query could not be read");
  return entry;
}

std::shared_ptr<QueryEntry> QueryCache::load(Shard& shard, std::unique_lock<std::mutex> lock,
                                             std::int64_t model, std::string_view query,
                                             QueryReader& reader, bool pin) {
  auto entry = std::make_shared<QueryEntry>();
  entry->model = model;
  entry->name = query;
  entry->pins = pin ? 1 : 0;
  std::unique_lock loading(entry->mutex);
  shard.recent.push_front(entry);
  shard.index.emplace(Key{model, entry->name}, shard.recent.begin());
  lock.unlock();
  loads_.fetch_add(1, std::memory_order_relaxed);
  try {
    entry->id = reader.load(model, query, entry->state);
  } catch (...) {
    entry->failed = true;
    loading.unlock();
    lock.lock();
    if (const auto at = shard.index.find(Key{model, query}); at != shard.index.end()) {
      const auto place = at->second;
      shard.index.erase(at);
      shard.recent.erase(place);
    }
    throw;
  }
  const std::size_t size = size_of(*entry);
  loading.unlock();  // never both at once
  lock.lock();
  if (entry->bytes == 0) {  // the writer may have used and measured it meanwhile
    entry->bytes = size;
    shard.bytes += size;
  }
  evict(shard);
  return entry;
}

void QueryCache::unpin(QueryEntry& entry) {
  Shard& shard = shard_of(entry.model, entry.name);
  const std::lock_guard lock(shard.mutex);
  --entry.pins;
}

void QueryCache::measure(QueryEntry& entry) {
  const std::size_t size = size_of(entry);
  Shard& shard = shard_of(entry.model, entry.name);
  const std::lock_guard lock(shard.mutex);
  shard.bytes = shard.bytes - entry.bytes + size;
  entry.bytes = size;
  evict(shard);
}

void QueryCache::evict(Shard& shard) {
  auto at = shard.recent.end();
  while (shard.bytes > most_ && at != shard.recent.begin()) {
    --at;
    QueryEntry& entry = **at;
    if (entry.pins > 0 || entry.bytes == 0) continue;  // in use by the writer, or being loaded
    shard.bytes -= entry.bytes;
    shard.index.erase(Key{entry.model, entry.name});
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

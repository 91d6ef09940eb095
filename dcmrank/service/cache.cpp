#include "dcmrank/service/cache.h"

#include <chrono>
#include <thread>
#include <utility>

namespace dcmrank::service {
namespace {

constexpr std::int64_t kLoading = 3000;  // milliseconds that somebody waits while another loads
constexpr std::chrono::milliseconds kLook(1);

}  // namespace

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
  entry->moment = ++moment_;
  const bool old = !pin && is_old(*entry);
  const std::uint64_t pinned = entry->pinned += pin ? 1 : 0;
  entry->pins += pin ? 1 : 0;
  entry->used = true;
  lock.unlock();
  wait_for_load(*entry, pin);
  return old ? load_again(shard, std::move(entry), pinned, reader) : entry;
}

// Another thread may be loading it; the writer's, from a store that is shared, takes its time.
void QueryCache::wait_for_load(const QueryEntry& entry, bool pin) const {
  using Load = QueryEntry::Load;
  if (entry.load == Load::kGoesOn && age_ && !pin) {
    const std::int64_t until = now() + kLoading;
    while (entry.load == Load::kGoesOn && now() < until) std::this_thread::sleep_for(kLook);
  } else if (entry.load == Load::kGoesOn) {
    const std::shared_lock loaded(entry.mutex);
  }
  if (entry.load != Load::kDone) throw StorageError("the query could not be read");
}

std::shared_ptr<QueryEntry> QueryCache::find(std::int64_t model, std::string_view query, Age age) {
  Shard& shard = shard_of(model, query);
  const std::lock_guard lock(shard.mutex);
  const auto at = shard.index.find(Key{model, query});
  if (at == shard.index.end()) return nullptr;
  auto entry = *at->second;
  if (entry->load != QueryEntry::Load::kDone) return nullptr;
  const bool good =
      age == Age::kAny || (age == Age::kAsCompared && entry->seen >= compared_) || !is_old(*entry);
  if (!good) return nullptr;
  shard.recent.splice(shard.recent.begin(), shard.recent, at->second);
  entry->moment = ++moment_;
  entry->used = true;
  return entry;
}

std::shared_ptr<QueryEntry> QueryCache::load(Shard& shard, std::unique_lock<std::mutex> lock,
                                             std::int64_t model, std::string_view query,
                                             StoreReader& reader, bool pin) {
  auto entry = std::make_shared<QueryEntry>();
  entry->key = {model, std::string(query)};
  entry->pins = pin ? 1 : 0;
  entry->seen = now();
  entry->moment = ++moment_;
  std::unique_lock loading(entry->mutex);
  shard.recent.push_front(entry);
  shard.index.emplace(Key{model, entry->key.query}, shard.recent.begin());
  lock.unlock();
  loads_.fetch_add(1, std::memory_order_relaxed);
  try {
    reader.load(entry->key, entry->state, entry->standing);
  } catch (...) {
    entry->load = QueryEntry::Load::kFailed;
    loading.unlock();
    lock.lock();
    const auto at = shard.index.find(Key{model, query});
    if (at != shard.index.end() && *at->second == entry) shard.remove(at->second);
    throw;
  }
  const std::size_t size = size_of(*entry);
  entry->load = QueryEntry::Load::kDone;
  loading.unlock();  // never both at once
  lock.lock();
  if (entry->bytes == 0 && !entry->dropped) {  // the writer may have used and measured it meanwhile
    entry->bytes = size;
    bytes_ += size;
  }
  lock.unlock();
  evict();
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
  entry->load = QueryEntry::Load::kDone;
  entry->bytes = size_of(*entry);
  entry->moment = ++moment_;
  std::unique_lock lock(shard.mutex);
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
  bytes_ += entry->bytes;
  bytes_ -= old->bytes;
  old->dropped = true;
  lock.unlock();
  evict();
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
  {
    Shard& shard = shard_of(entry.key.model, entry.key.query);
    const std::lock_guard lock(shard.mutex);
    if (entry.dropped) return;
    bytes_ += size;
    bytes_ -= entry.bytes;
    entry.bytes = size;
  }
  evict();
}

void QueryCache::drop(const QueryKey& key) {
  Shard& shard = shard_of(key.model, key.query);
  const std::lock_guard lock(shard.mutex);
  const auto at = shard.index.find(Key{key.model, key.query});
  if (at == shard.index.end()) return;
  const auto place = at->second;
  (*place)->dropped = true;
  bytes_ -= (*place)->bytes;
  shard.remove(place);
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
    for (const auto& entry : shard.recent) {
      entry->dropped = true;
      bytes_ -= entry->bytes;
    }
    shard.index.clear();
    shard.recent.clear();
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

// The one that is used by nobody and was used before all others of the shard; the end if there is
// none: all are in use by the writer, or being loaded.
QueryCache::List::iterator QueryCache::Shard::oldest() {
  for (auto at = recent.end(); at != recent.begin();) {
    --at;
    if ((*at)->pins == 0 && (*at)->bytes > 0) return at;
  }
  return recent.end();
}

void QueryCache::Shard::remove(List::iterator place) {
  index.erase(Key{(*place)->key.model, (*place)->key.query});
  recent.erase(place);
}

// The bound is one for all shards: a large query may take more than the share of one.
void QueryCache::evict() {
  while (bytes_ > most_) {
    Shard* from = nullptr;
    std::uint64_t earliest = UINT64_MAX;
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      const auto at = shard.oldest();
      if (at == shard.recent.end() || (*at)->moment >= earliest) continue;
      earliest = (*at)->moment;
      from = &shard;
    }
    if (from == nullptr) return;
    const std::lock_guard lock(from->mutex);
    const auto at = from->oldest();
    if (at == from->recent.end()) continue;  // it is in use by now
    bytes_ -= (*at)->bytes;
    from->remove(at);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
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

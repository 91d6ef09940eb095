#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dcmrank/ledger/query_state.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// What is known about one query, in memory. `mutex` guards `state`, and is held only to copy from
/// it or to add to it, never while waiting for the disk (except for the first load).
struct QueryEntry {
  QueryKey key;
  mutable std::shared_mutex mutex;
  QueryState state;
  Standing standing;
  enum class Load : std::uint8_t { kGoesOn, kDone, kFailed };
  std::atomic<Load> load = Load::kGoesOn;
  std::atomic<std::int64_t> seen = 0;  // when it was as the store has it, at least; milliseconds

  // Guarded by the cache.
  std::size_t bytes = 0;
  int pins = 0;
  std::uint64_t pinned = 0;  // how often
  bool dropped = false;      // is not in the cache any more
  bool used = true;          // since it was looked after last
  std::uint64_t moment = 0;  // when it was used last, by the cache's own count
};

/// The queries used last, within a bound of memory; others come back from the database. An entry
/// that is pinned stays: the writer pins what it changes until the change is in the database. Where
/// other processes change the store, too, one that was not compared with it for some time is read
/// again when it is asked for. Any thread.
class QueryCache {
 public:
  /// `age`: milliseconds after which an entry is read again; nothing: nobody else changes it.
  explicit QueryCache(std::size_t bytes, std::optional<std::int64_t> age = std::nullopt)
      : most_(bytes), age_(age) {}

  /// The entry of a query, loaded by `reader` (the calling thread's) where it is not in memory.
  std::shared_ptr<QueryEntry> get(std::int64_t model, std::string_view query, StoreReader& reader,
                                  bool pin = false);
  void unpin(QueryEntry& entry);

  /// How old something may be that is used without asking the store: as `age` says; as it was when
  /// all that is in use was compared last; or anyhow.
  enum class Age : std::uint8_t { kAsSaid, kAsCompared, kAny };
  /// The entry where it can be had at once; nothing where the store would have to be asked.
  std::shared_ptr<QueryEntry> find(std::int64_t model, std::string_view query, Age age);

  /// All that was used was compared with the store as of this time.
  void note_compared(std::int64_t time) { compared_ = time; }

  /// The query, or all queries of a model, are as the store has them, not as they were here. Call
  /// where nothing of them is pinned.
  void drop(const QueryKey& key);
  void drop(std::int64_t model);
  void clear();

  /// By a clock that nobody can set, in milliseconds.
  static std::int64_t now();

  /// Those that were used since this was asked last.
  std::vector<std::shared_ptr<QueryEntry>> take_used();

  /// Counts the memory of the entry again after it has grown.
  void measure(QueryEntry& entry);

  std::size_t bytes() const { return bytes_; }
  std::size_t queries() const;
  std::uint64_t loads() const { return loads_; }
  std::uint64_t evictions() const { return evictions_; }

 private:
  static constexpr std::size_t kShards = 16;
  using List = std::list<std::shared_ptr<QueryEntry>>;
  struct Key {
    std::int64_t model;
    std::string_view query;  // of the entry
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return subkey(id_hash(key.query), static_cast<std::uint64_t>(key.model));
    }
  };
  struct Shard {
    mutable std::mutex mutex;
    List recent;  // the latest first
    std::unordered_map<Key, List::iterator, Hash> index;
    List::iterator oldest();
    void remove(List::iterator place);
  };

  Shard& shard_of(std::int64_t model, std::string_view query) {
    return shards_[(Hash()(Key{model, query}) >> 48U) % kShards];
  }
  std::shared_ptr<QueryEntry> load(Shard& shard, std::unique_lock<std::mutex> lock,
                                   std::int64_t model, std::string_view query, StoreReader& reader,
                                   bool pin);
  std::shared_ptr<QueryEntry> load_again(Shard& shard, std::shared_ptr<QueryEntry> old,
                                         std::uint64_t pinned, StoreReader& reader);
  void evict();
  bool is_old(const QueryEntry& entry) const {
    return age_ && entry.pins == 0 && now() - entry.seen > *age_;
  }
  void wait_for_load(const QueryEntry& entry, bool pin) const;
  static std::size_t size_of(const QueryEntry& entry);

  std::size_t most_;
  std::optional<std::int64_t> age_;
  std::array<Shard, kShards> shards_;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<std::uint64_t> moment_ = 0;
  std::atomic<std::int64_t> compared_ = 0;
  std::atomic<std::uint64_t> loads_ = 0;
  std::atomic<std::uint64_t> evictions_ = 0;
};

}  // namespace dcmrank::service

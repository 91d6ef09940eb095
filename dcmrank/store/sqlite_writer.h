#pragma once

#include <functional>
#include <map>

#include "dcmrank/store/sqlite_reads.h"

namespace dcmrank::service {

/// Writes to a store in SQLite: there is one such writer.
class SqliteWriter final : public SqliteReads<StoreWriter> {
 public:
  /// `begins` is called before each transaction, `check` before its commit, which fails where it
  /// throws, and `committed` after that.
  SqliteWriter(Database given, std::function<void(Database&)> begins, std::function<void()> check,
               std::function<void(Database&)> committed);

  void begin() override;
  Buckets commit() override;
  void rollback() override;

  Kept insert(const NewImpression& impression, Time due) override;
  void update(const Impression& impression, std::optional<Time> due) override;
  void rewrite(const Impression& impression, Time due) override;
  void remove(const Impression& impression) override;
  std::vector<std::uint64_t> old(Time before, std::size_t most) override;
  std::vector<std::uint64_t> due(Time now, std::size_t most) override;
  void set_aside(std::uint64_t number) override;
  void reschedule(std::int64_t model, Time close_after) override;
  std::vector<std::uint64_t> impressions_of(const QueryKey& key, std::size_t most) override;

  std::uint64_t add(const QueryKey& key, const QueryDelta& delta, Into into, Time now) override;

  void reset(const QueryKey& key) override;

  std::optional<std::string> event(std::uint64_t impression, std::int64_t model,
                                   std::string_view id) override;
  void insert_event(std::uint64_t impression, std::int64_t model, std::string_view id,
                    std::string_view hash) override;
  void hold(const HeldEvent& held) override;
  std::vector<HeldEvent> release(std::int64_t model, std::string_view id) override;
  std::vector<std::pair<std::string, std::uint64_t>> expire_held(Time now) override;
  std::vector<std::pair<std::string, std::uint64_t>> held() override;

  void probe(Time now) override;
  std::uint64_t begin_start() override;
  std::int64_t put(const Model& model) override;

  void erase_query(const QueryKey& key) override;
  void erase_item(const QueryKey& key, std::string_view item) override;
  bool erase_held(std::int64_t model, std::string_view id) override;
  void drop_empty(const QueryKey& key) override;
  void erase_model(std::int64_t model) override;
  bool erase_some(std::size_t most) override;
  std::vector<QueryKey> trim(Time before, std::size_t most) override;

 private:
  std::int64_t made_id_of(const QueryKey& key, Time now);
  void erase_query(std::int64_t id);
  void mark_for_wiping();
  void note_held_gone();
  std::size_t trim_items(std::int64_t query, Time before, std::size_t& left);

  std::function<void(Database&)> begins_;
  std::function<void()> check_;
  std::function<void(Database&)> committed_;
  std::map<QueryKey, std::int64_t> ids_;  // of the present transaction
  std::int64_t trimmed_ = 0;              // the last query that was looked at
  struct {
    std::int64_t query = 0;
    std::string item;
  } half_trimmed_;          // the last item of one that has more
  std::uint64_t aged_ = 0;  // the last impression, likewise
  Statement insert_query_;
  Statement insert_impression_;
  Statement insert_named_;
  Statement update_impression_;
  Statement add_news_;
  Statement due_;
  Statement add_state_;
  Statement add_item_state_;
  Statement insert_item_;
  Statement add_base_;
  Statement add_item_base_;
  Statement find_event_;
  Statement insert_event_;
  Statement insert_held_;
  Statement release_;
  Statement expire_;
};

}  // namespace dcmrank::service

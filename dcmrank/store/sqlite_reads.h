#pragma once

#include "dcmrank/store/sqlite.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Reads the columns of kImpressionColumns, in their order. Throws if the record is damaged.
Impression read_impression(const Rows& row);
inline constexpr const char* kImpressionColumns =
    "i.number, i.word, i.model, q.name, i.made, i.news, i.state, i.seen, i.id, i.page, i.clicks, "
    "i.contribution, i.events";
inline constexpr const char* kImpressions =
    "impression AS i LEFT JOIN query AS q ON q.id = i.query";

/// The reads of a store in SQLite, over a connection: for a reader, and for a writer, which reads
/// what it wrote.
template <class Interface>
class SqliteReads : public Interface {
 public:
  explicit SqliteReads(Database database);

  std::vector<Model> models() override;
  bool load(const QueryKey& key, QueryState& state, Standing& standing) override;
  std::vector<StoreReader::Summary> queries(std::int64_t model, std::string_view after,
                                            std::size_t most) override;
  bool has_learned(std::int64_t model) override;
  std::optional<Impression> find(std::int64_t model, std::string_view id) override;
  std::optional<Impression> find(std::uint64_t number) override;
  StoreReader::OwnId own_id(std::int64_t model, std::string_view id) override;
  bool recount(const QueryKey& key, QueryState& state, QueryState& base,
               const std::function<void(const Impression&)>& each) override;
  std::vector<std::string> check() override;
  std::vector<std::string> unfinished() override;
  std::vector<std::string> lost_events(const Impression& impression) override;

 protected:
  Database& database() { return database_; }
  /// 0 if there is no such query.
  std::int64_t id_of(const QueryKey& key);

 private:
  Database database_;
  Statement id_;
  Statement query_;
  Statement items_;
  Statement list_;
  Statement learned_;
  Statement impression_;
  Statement number_;
  Statement named_;
};

extern template class SqliteReads<StoreReader>;
extern template class SqliteReads<StoreWriter>;

}  // namespace dcmrank::service

#include "dcmrank/service/verify.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/text.h"
#include "dcmrank/store/layout.h"
#include "dcmrank/store/readers.h"

namespace dcmrank::service {
namespace {

// Rows are equal where they differ by zeros at the end.
bool same(std::span<const Fixed> a, std::span<const Fixed> b) {
  for (std::size_t n = 0; n < std::max(a.size(), b.size()); ++n) {
    if ((n < a.size() ? a[n] : 0) != (n < b.size() ? b[n] : 0)) return false;
  }
  return true;
}

class Recount {
 public:
  explicit Recount(const std::string& data)
      : database_(open_reader(data)),
        base_(database_, "SELECT name, base, forgotten FROM item WHERE query = ?"),
        state_(database_, "SELECT name, state FROM item WHERE query = ?") {
    database_.execute("BEGIN");
  }

  VerifyReport run() {
    check_file();
    Statement all_queries(
        database_,
        "SELECT id, name, rounds, base_rounds, positions, base_positions, forgotten "
        "FROM query ORDER BY id");
    Statement all_impressions(
        database_,
        fmt::format("SELECT {} FROM impression ORDER BY query, number", kImpressionColumns)
            .c_str());
    Rows impressions = all_impressions.rows();
    bool more = impressions.next();
    for (Rows queries = all_queries.rows(); queries.next();) {
      ++report_.queries;
      QueryState sum = base(queries);
      for (; more && impressions.number(3) <= queries.number(0); more = impressions.next()) {
        const Impression impression = read_impression(impressions);
        check(impression);
        if (impression.query != queries.number(0)) {
          fault(fmt::format("impression {} has no query", impression_id(impression)));
          continue;
        }
        apply(sum, impression.page, impression.contribution, impression.number, 1);
      }
      compare(queries, sum);
    }
    for (; more; more = impressions.next()) {
      fault(fmt::format("impression {} has no query", impressions.number(0)));
    }
    return report_;
  }

 private:
  void fault(const std::string& what) {
    constexpr std::size_t kShown = 20;
    if (++report_.faults <= kShown) report_.first_faults.push_back(what);
  }

  void check_file() {
    const std::string found = database_.text("PRAGMA integrity_check(1)");
    if (found != "ok") fault(fmt::format("the file is damaged: {}", found));
  }

  void check(const Impression& impression) {
    ++report_.impressions;
    if (impression.state != ImpressionState::kOpen) return;
    ++report_.open;
    if (impression.contribution.counted) {
      fault(fmt::format("impression {} is open but taught", impression_id(impression)));
    }
  }

  QueryState base(const Rows& query) {
    QueryState result;
    result.rounds = static_cast<std::uint64_t>(query.number(3));
    result.positions = decode_rows(query.text(5));
    result.forgotten = static_cast<std::uint64_t>(query.number(6));
    for (Rows items = base_.rows(query.number(0)); items.next();) {
      const std::string_view name = items.text(0);
      if (!items.text(1).empty()) result.items.add(name, BlobReader(items.text(1)).row(), 1);
      if (items.number(2) != 0) {
        result.forgotten_items.emplace(name, static_cast<std::uint64_t>(items.number(2)));
      }
    }
    return result;
  }

  void compare(const Rows& query, const QueryState& sum) {
    const std::string name = quote(query.text(1));
    if (static_cast<std::uint64_t>(query.number(2)) != sum.rounds) {
      fault(fmt::format("query {}: {} rounds are stored, {} counted", name, query.number(2),
                        sum.rounds));
    }
    auto positions = decode_rows(query.text(4));
    positions.resize(std::max(positions.size(), sum.positions.size()));
    for (std::size_t k = 0; k < positions.size(); ++k) {
      const Row none;
      if (!same(positions[k], k < sum.positions.size() ? sum.positions[k] : none)) {
        fault(fmt::format("query {}: position {} differs from its recount", name, k + 1));
      }
    }
    std::size_t stored = 0;
    for (Rows items = state_.rows(query.number(0)); items.next();) {
      ++report_.items;
      const Row row = items.text(1).empty() ? Row() : BlobReader(items.text(1)).row();
      const auto counted = sum.items.find(items.text(0));
      stored += counted.empty() ? 0 : 1;
      if (!same(row, counted)) {
        fault(
            fmt::format("query {}: item {} differs from its recount", name, quote(items.text(0))));
      }
    }
    std::size_t expected = 0;
    for (const auto& entry : sum.items.entries()) expected += entry.row.empty() ? 0 : 1;
    if (stored < expected) fault(fmt::format("query {}: an item is missing", name));
  }

  Database database_;
  Statement base_;
  Statement state_;
  VerifyReport report_;
};

}  // namespace

VerifyReport verify(const std::string& data) { return Recount(data).run(); }

void backup(const std::string& data, const std::string& out) {
  Database source = open_reader(data);
  AtomicFile file(out);
  {
    Database target(file.temporary().string(), Database::Mode::kCreate);
    sqlite3_backup* copy = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
    if (copy == nullptr) target.fail("backup");
    sqlite3_backup_step(copy, -1);
    if (sqlite3_backup_finish(copy) != SQLITE_OK) target.fail("backup");
    target.execute("PRAGMA journal_mode=DELETE");
  }
  file.commit();
}

}  // namespace dcmrank::service

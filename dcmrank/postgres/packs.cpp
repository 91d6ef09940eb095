// The part of the writer that stores lists of one query together (schema.cpp), and finds those that
// are due.
#include <algorithm>
#include <map>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

constexpr std::size_t kFewest = 16;  // lists; fewer cost less one by one
constexpr std::size_t kMost = 200;   // whose numbers are stored beside the rest of their row

constexpr const char* kPack =
    "WITH stored AS (INSERT INTO dcmrank.impression(bucket, number, word, model, query, made, "
    "news, id, page, packed) SELECT $1::int8, u.number, u.word, $2::int8, $3::bytea, u.made, "
    "u.made, u.id, u.page, true FROM (SELECT unnest($4::int8[]) AS number, unnest($5::int8[]) AS "
    "word, unnest($6::int8[]) AS made, unnest($7::bytea[]) AS id, unnest($8::bytea[]) AS page) "
    "AS u), packed AS (INSERT INTO dcmrank.pack(bucket, model, query, id, made, due, numbers) "
    "VALUES($1::int8, $2::int8, $3::bytea, $9::int8, $10::int8, $11::int8, $4::int8[])) "
    "SELECT dcmrank.expect(count(*), 1) FROM dcmrank.query AS q JOIN dcmrank.model AS m ON "
    "m.id = q.model AND m.name IS NOT NULL WHERE q.bucket = $1::int8 AND q.model = $2::int8 AND "
    "q.key = $3::bytea AND q.epoch = $12::int8 AND (q.name IS NOT NULL)::int = 1";

// A row for each list that is still in its pack; one without a number where none is.
constexpr const char* kDue =
    "SELECT p.bucket, p.model, p.query, p.id, i.number FROM dcmrank.pack AS p LEFT JOIN LATERAL "
    "(SELECT i.number FROM unnest(p.numbers) AS n(number) JOIN dcmrank.impression AS i ON "
    "i.bucket = p.bucket AND i.number = n.number AND i.packed OFFSET 0) AS i ON true WHERE "
    "p.due <= $1::int8 ORDER BY p.due, p.bucket, p.model, p.query, p.id LIMIT $2::int8";

constexpr const char* kDone =
    "DELETE FROM dcmrank.pack AS p USING unnest($2::int8[], $3::bytea[], $4::int8[]) AS "
    "u(model, query, id) WHERE p.bucket = $1::int8 AND p.model = u.model AND p.query = u.query AND "
    "p.id = u.id AND (SELECT i.number FROM unnest(p.numbers) AS n(number) JOIN dcmrank.impression "
    "AS i ON i.bucket = p.bucket AND i.number = n.number AND i.packed LIMIT 1) IS NULL";

}  // namespace

// Those of queries that have many in this transaction; the others are returned.
std::vector<const PgWriter::Insert*> PgWriter::send_packs(std::size_t bucket, const Work& work) {
  std::map<const QueryEpoch*, std::vector<const Insert*>> by_query;
  for (const Insert& list : work.inserts) by_query[list.query].push_back(&list);
  std::vector<const Insert*> others;
  for (const auto& [query, lists] : by_query) {
    std::span<const Insert* const> left(lists);
    while (!named_transaction_ && left.size() >= kFewest) {
      const std::size_t some = std::min(kMost, left.size());
      send_pack(bucket, left.first(some));
      left = left.subspan(some);
    }
    others.insert(others.end(), left.begin(), left.end());
  }
  return others;
}

void PgWriter::send_pack(std::size_t bucket, std::span<const Insert* const> lists) {
  const auto& [query, epoch] = *lists.front()->query;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> words;
  std::vector<std::int64_t> made;
  std::vector<std::optional<std::string_view>> ids;
  std::vector<std::string_view> pages;
  Time first = lists.front()->made;
  Time due = lists.front()->due;
  for (const Insert* list : lists) {
    numbers.push_back(static_cast<std::int64_t>(list->number));
    words.push_back(list->word);
    made.push_back(list->made);
    ids.push_back(list->id.empty() ? std::nullopt : std::optional<std::string_view>(list->id));
    pages.emplace_back(list->page);
    first = std::min(first, list->made);
    due = std::min(due, list->due);
  }
  while (!ids.empty() && !ids.back()) ids.pop_back();  // what an array lacks is nothing
  session_->send(kPack, PgParams()
                            .number(std::uint64_t{bucket})
                            .number(query.model)
                            .bytes(epoch.key)
                            .numbers(numbers)
                            .numbers(words)
                            .numbers(made)
                            .texts(ids)
                            .texts(pages)
                            .number(++nonce_)
                            .number(first)
                            .number(due)
                            .number(epoch.number));
}

// A pack goes when none of its lists is in it any more: they are closed by then, or due one by one.
void PgWriter::add_due_packs(Time now, std::size_t most, std::vector<std::uint64_t>& numbers) {
  const std::size_t room = most - numbers.size();
  const PgRows rows = ask_one(kDue, PgParams().number(now).number(std::uint64_t{room + 1}));
  const int end = std::min(rows.size(), static_cast<int>(room));
  const auto same = [&](int a, int b) {
    return rows.number(a, 3) == rows.number(b, 3) && rows.text(a, 2) == rows.text(b, 2) &&
           rows.number(a, 1) == rows.number(b, 1);
  };
  for (int n = 0; n < end; ++n) {
    if (!rows.is_null(n, 4)) numbers.push_back(static_cast<std::uint64_t>(rows.number(n, 4)));
    if (n + 1 < rows.size() && same(n, n + 1)) continue;
    work_[static_cast<std::size_t>(rows.number(n, 0))].done_packs.push_back(
        {rows.number(n, 1), std::string(rows.text(n, 2)), rows.number(n, 3)});
  }
}

void PgWriter::send_done_packs(std::size_t bucket, const Work& work) {
  if (work.done_packs.empty()) return;
  std::vector<std::int64_t> models;
  std::vector<std::int64_t> ids;
  std::vector<std::string_view> queries;
  for (const Pack& pack : work.done_packs) {
    models.push_back(pack.model);
    queries.emplace_back(pack.query);
    ids.push_back(pack.id);
  }
  session_->send(
      kDone, PgParams().number(std::uint64_t{bucket}).numbers(models).texts(queries).numbers(ids));
}

}  // namespace dcmrank::service

// The part of the writer that finds impressions: those that are due, old, or of a query.
#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {

std::vector<std::uint64_t> PgWriter::due(Time now, std::size_t most) {
  auto numbers =
      ask_one(
          "SELECT number FROM dcmrank.impression WHERE due <= $1::int8 ORDER BY due LIMIT $2::int8",
          PgParams().number(now).number(std::uint64_t{most}))
          .numbers();
  if (numbers.size() < most) add_due_packs(now, most, numbers);
  fetch({numbers.begin(), numbers.end()});
  return numbers;
}

std::vector<std::uint64_t> PgWriter::old(Time before, std::size_t most) {
  const PgRows rows = ask_one(
      "SELECT number, made FROM dcmrank.impression WHERE state <> 0 AND made < $1::int8 AND "
      "(made, number) > ($2::int8, $3::int8) ORDER BY made, number LIMIT $4::int8",
      PgParams()
          .number(before)
          .number(aged_.first)
          .number(aged_.second)
          .number(std::uint64_t{most}));
  auto numbers = rows.numbers();
  const int last = rows.size() - 1;
  aged_ =
      last < 0 ? decltype(aged_){} : decltype(aged_){rows.number(last, 1), rows.number(last, 0)};
  fetch({numbers.begin(), numbers.end()});
  return numbers;
}

void PgWriter::set_aside(std::uint64_t number) {
  run("UPDATE dcmrank.impression SET due = NULL, packed = false WHERE bucket = ($1::int8 & 255) "
      "AND number = $1::int8",
      PgParams().number(number));
}

void PgWriter::reschedule(std::int64_t model, Time close_after) {
  run("WITH packs AS (UPDATE dcmrank.pack SET due = made + $2::int8 WHERE model = $1::int8) "
      "UPDATE dcmrank.impression SET due = news + $2::int8 WHERE model = $1::int8 AND state = 0 "
      "AND due IS NOT NULL",
      PgParams().number(model).number(close_after));
}

std::vector<std::uint64_t> PgWriter::impressions_of(const QueryKey& key, std::size_t most) {
  PgParams params = pg_place(key);
  params.number(std::uint64_t{most});
  auto numbers =
      ask_one(
          "SELECT number FROM dcmrank.of_query WHERE bucket = $1::int8 AND model = $2::int8 AND "
          "query = $3::bytea ORDER BY number LIMIT $4::int8",
          std::move(params))
          .numbers();
  fetch({numbers.begin(), numbers.end()});
  return numbers;
}

}  // namespace dcmrank::service

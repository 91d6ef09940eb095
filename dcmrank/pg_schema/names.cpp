#include "dcmrank/pg_schema/names.h"

#include <set>

namespace dcmrank::service {
namespace {

constexpr const char* kNext =
    "SELECT bucket, model, id, number, (extract(epoch FROM clock_timestamp() - at) * 1000)::int8 "
    "FROM dcmrank.named WHERE (bucket, model, id) > ($1::int8, $2::int8, $3::bytea) "
    "ORDER BY bucket, model, id LIMIT $4::int8";
constexpr const char* kThere =
    "SELECT i.number FROM unnest($1::int8[]) AS u(number) JOIN dcmrank.impression AS i ON "
    "i.bucket = (u.number & 255) AND i.number = u.number";
constexpr const char* kStillNamed =
    "SELECT 1 FROM dcmrank.named WHERE bucket = $1::int8 AND model = $2::int8 AND id = $3::bytea "
    "AND number = $4::int8";
constexpr const char* kFree =
    "DELETE FROM dcmrank.named WHERE bucket = $1::int8 AND model = $2::int8 AND id = $3::bytea "
    "AND number = $4::int8";

PgParams key_of(const PgLooseName& name) {
  return PgParams().number(name.bucket).number(name.model).bytes(name.id).number(name.number);
}

}  // namespace

std::vector<PgLooseName> pg_loose_names(PgSession& session, PgNamePlace& place, std::int64_t most) {
  const auto& [bucket, model, id] = place;
  const PgRows rows =
      session.run(kNext, PgParams().number(bucket).number(model).bytes(id).number(most));
  std::vector<PgLooseName> names;
  std::vector<std::int64_t> numbers;
  for (int n = 0; n < rows.size(); ++n) {
    names.push_back({rows.number(n, 0), rows.number(n, 1), std::string(rows.text(n, 2)),
                     rows.number(n, 3), rows.number(n, 4)});
    numbers.push_back(rows.number(n, 3));
  }
  const bool last = rows.size() < most;
  place = last ? kFirstName : PgNamePlace{names.back().bucket, names.back().model, names.back().id};
  if (names.empty()) return names;
  const PgRows lists = session.run(kThere, PgParams().numbers(numbers));
  std::set<std::int64_t> there;
  for (int n = 0; n < lists.size(); ++n) there.insert(lists.number(n, 0));
  std::erase_if(names, [&](const PgLooseName& name) {
    // A list may have gone with its name between the two looks.
    return there.contains(name.number) || session.run(kStillNamed, key_of(name)).size() == 0;
  });
  return names;
}

void pg_free_name(PgSession& session, const PgLooseName& name) { session.run(kFree, key_of(name)); }

}  // namespace dcmrank::service

// The part of the writer that keeps events until their impression is known.
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {

std::optional<HeldEvent> pg_held(const PgRows& rows, int row) {
  HeldEvent held{rows.number(row, 0),
                 std::string(rows.text(row, 3)),
                 rows.number(row, 4),
                 {},
                 static_cast<std::uint64_t>(rows.number(row, 2))};
  try {
    held.event = decode_event(rows.text(row, 5));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  return held;
}

void PgWriter::hold(const HeldEvent& event) {
  HeldEvent held = event;
  held.number = ++nonce_;
  work_[bucket_of(event.model, event.event.impression)].held.push_back(std::move(held));
}

// What is held is dropped once it is taken; where a crash comes between, it is taken again, and is
// a duplicate then.
std::vector<HeldEvent> PgWriter::release(std::int64_t model, std::string_view id) {
  const Name name{model, std::string(id)};
  if (!held_known_.contains(name)) {
    NewImpression asked;
    asked.model = model;
    asked.id = id;
    const NewImpression* const one = &asked;
    fetch_for_lists({&one, 1}, false);
  }
  const auto at = held_.find(name);
  if (at == held_.end()) return {};
  auto events = std::exchange(at->second, {});
  drop_held_.insert(drop_held_.end(), events.begin(), events.end());
  return events;
}

std::vector<HeldEvent> PgWriter::ripe(std::size_t most) {
  const PgRows rows = ask_one(
      "SELECT h.model, h.impression, h.number, h.caller, h.until, h.body FROM dcmrank.held AS h "
      "JOIN dcmrank.named AS n ON n.bucket = h.bucket AND n.model = h.model AND "
      "n.id = h.impression LIMIT $1::int8",
      PgParams().number(std::uint64_t{most}));
  std::vector<HeldEvent> events;
  for (int n = 0; n < rows.size(); ++n) {
    const auto number = number_of(rows.number(n, 0), rows.text(n, 1));
    if (!number || !find(*number)) continue;  // it is on its way
    if (auto held = pg_held(rows, n)) events.push_back(*std::move(held));
  }
  drop_held_.insert(drop_held_.end(), events.begin(), events.end());
  return events;
}

std::vector<std::pair<std::string, std::uint64_t>> PgWriter::expire_held(Time now) {
  return run("WITH gone AS (DELETE FROM dcmrank.held WHERE until < $1::int8 RETURNING caller) "
             "SELECT caller, count(*) FROM gone GROUP BY caller ORDER BY caller",
             PgParams().number(now))
      .counts();
}

std::vector<std::pair<std::string, std::uint64_t>> PgWriter::held() {
  return ask_one("SELECT caller, count(*) FROM dcmrank.held GROUP BY caller ORDER BY caller")
      .counts();
}

}  // namespace dcmrank::service

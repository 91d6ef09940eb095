// What the writer does in the course of time: impressions close, held events and old impressions
// go.
#include <algorithm>
#include <limits>

#include "dcmrank/service/teacher.h"

namespace dcmrank::service {
namespace {

constexpr std::size_t kMostAtOnce = 1000;

Time close_after(const ModelList& models, std::int64_t model) {
  const auto at = models.by_id.find(model);
  return at == models.by_id.end() ? 0 : at->second->close_after;
}

Time least_close_after(const ModelList& models) {
  Time least = std::numeric_limits<Time>::max();
  for (const auto& [id, model] : models.by_id) least = std::min(least, model->close_after);
  return least;
}

}  // namespace

bool Teacher::sweep(Time now) {
  bool more = close_due(now);
  if (held_ > 0) {
    Statement expired(*database_, "DELETE FROM held WHERE until < ? RETURNING 1");
    std::int64_t count = 0;
    for (expired.bind(now); expired.step();) ++count;
    held_ -= count;
    metrics_->held_expired.Increment(static_cast<double>(count));
  }
  more = purge(now) || more;
  return more;
}

void Teacher::probe(Time now) {
  Statement write(*database_, "INSERT OR REPLACE INTO meta(name, value) VALUES('probed', ?)");
  write.bind(now).run();
}

// A damaged record must not keep all others from closing; `verify` tells of it.
std::optional<Impression> Teacher::readable(std::uint64_t number) {
  try {
    return impressions_.find(number);
  } catch (const StorageError&) {
    throw;
  } catch (const std::runtime_error&) {
    metrics_->storage_errors.Increment();
    return std::nullopt;
  }
}

// An impression came after others with larger numbers had been looked at: its thread had to wait.
void Teacher::sweep_from(std::uint64_t number) {
  cursor_ = number - 1;
  if (settled_ >= number) keep_cursor(cursor_);
}

void Teacher::keep_cursor(std::uint64_t settled) {
  Statement keep(*database_, "INSERT OR REPLACE INTO meta(name, value) VALUES('cursor', ?)");
  keep.bind(settled).run();
  settled_ = settled;
}

// Impressions are numbered in the order of time: all up to the cursor are closed or wait.
bool Teacher::close_due(Time now) {
  std::size_t looked_at = 0;
  {
    Statement rows(*database_,
                   "SELECT number, state, made, news, model FROM impression WHERE number > ? "
                   "ORDER BY number LIMIT ?");
    const Time least = least_close_after(*list_);
    rows.bind(cursor_, std::uint64_t{kMostAtOnce});
    while (rows.step() && rows.number(2) + least <= now) {
      ++looked_at;
      cursor_ = static_cast<std::uint64_t>(rows.number(0));
      if (rows.number(1) != 0) continue;
      const Time at = rows.number(3) + close_after(*list_, rows.number(4));
      waiting_.emplace(at, cursor_);
      waiting_numbers_.insert(cursor_);
    }
  }
  const bool more = looked_at == kMostAtOnce;
  for (std::size_t n = 0; n < kMostAtOnce; ++n) {
    if (waiting_.empty() || waiting_.begin()->first > now) break;
    const std::uint64_t number = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    waiting_numbers_.erase(number);
    const auto found = readable(number);
    if (!found || found->state != ImpressionState::kOpen) continue;
    if (const Time at = found->news + close_after(*list_, found->model); at > now) {
      waiting_.emplace(at, number);
      waiting_numbers_.insert(number);
      continue;
    }
    Working& work = *find(impression_id(*found));
    if (work.impression.state != ImpressionState::kOpen) continue;
    work.impression.state = ImpressionState::kTimedOut;
    work.impression.news = now;
    work.changed = true;
  }
  const std::uint64_t settled = waiting_numbers_.empty() ? cursor_ : *waiting_numbers_.begin() - 1;
  if (settled != settled_) keep_cursor(settled);
  return more || (!waiting_.empty() && waiting_.begin()->first <= now);
}

bool Teacher::purge(Time now) {
  std::vector<Impression> old;
  {
    const std::string sql = std::string("SELECT ") + kImpressionColumns +
                            " FROM impression WHERE state != 0 ORDER BY number LIMIT 1000";
    Statement rows(*database_, sql.c_str());
    while (rows.step() && rows.number(4) + lifetimes_.keep < now) {
      if (rows.number(5) + lifetimes_.correct_for >= now) continue;
      old.push_back(read_impression(rows));
    }
  }
  Statement drop(*database_, "DELETE FROM impression WHERE number = ?");
  Statement drop_named(*database_, "DELETE FROM named WHERE id = ?");
  Statement drop_event(*database_, "DELETE FROM event WHERE id = ?");
  for (const Impression& impression : old) {
    fold_into_base(impression);
    drop.bind(impression.number).run();
    if (!impression.id.empty()) drop_named.bind(impression.id).run();
    for (const std::string& event : impression.events) drop_event.bind(event).run();
  }
  purged_ += old.size();
  return old.size() == kMostAtOnce;
}

// state = base + the impressions that are recorded: what goes from these goes to the base.
void Teacher::fold_into_base(const Impression& impression) {
  if (!impression.contribution.counted) return;
  Statement query(*database_, "SELECT base_positions, forgotten FROM query WHERE id = ?");
  if (!query.bind(impression.query).step()) return;
  if (impression.number <= static_cast<std::uint64_t>(query.number(1))) return;
  auto positions = decode_rows(query.text(0));
  query.reset();
  const Contribution& contribution = impression.contribution;
  positions.resize(std::max(positions.size(), contribution.positions.size()));
  for (std::size_t k = 0; k < contribution.positions.size(); ++k) {
    add_row(positions[k], contribution.positions[k], 1);
  }
  const std::string bytes = encode(positions);
  Statement keep(*database_,
                 "UPDATE query SET base_rounds = base_rounds + 1, base_positions = ? WHERE id = ?");
  keep.bind(BlobView{bytes}, impression.query).run();
  Statement item(*database_, "SELECT base, forgotten FROM item WHERE query = ? AND name = ?");
  Statement keep_item(*database_, "UPDATE item SET base = ? WHERE query = ? AND name = ?");
  for (std::size_t k = 0; k < contribution.items.size(); ++k) {
    const std::string& name = impression.page.items[k];
    if (!item.bind(impression.query, name).step()) continue;
    Row row = item.text(0).empty() ? Row() : BlobReader(item.text(0)).row();
    const bool forgotten = impression.number <= static_cast<std::uint64_t>(item.number(1));
    item.reset();
    if (forgotten) continue;
    add_row(row, contribution.items[k], 1);
    const std::string blob = row_blob(row);
    keep_item.bind(BlobView{blob}, impression.query, name).run();
  }
}

}  // namespace dcmrank::service

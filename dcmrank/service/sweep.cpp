// What the writer does in the course of time: impressions close, held events and old impressions
// go.
#include <algorithm>
#include <limits>

#include "dcmrank/service/teacher.h"

namespace dcmrank::service {
namespace {

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
  closing_.clear();
  bool more = close_due(now);
  if (held_ > 0) {
    Statement expired(*database_, "DELETE FROM held WHERE until < ? RETURNING 1");
    std::int64_t count = 0;
    for (Rows rows = expired.rows(now); rows.next();) ++count;
    held_ -= count;
    metrics_->held_expired.Increment(static_cast<double>(count));
  }
  if (at_once_ > 1 || closing_.empty()) more = purge(now) || more;
  if (at_once_ == 1 && ++swept_singly_ > kMostAtOnce) at_once_ = kMostAtOnce;
  return more;
}

// A damaged row, of whatever table, is found by closing or dropping one impression at a time, and
// left alone from then on: it must not keep all others from closing. `verify` tells of it.
bool Teacher::sweep_failed() {
  metrics_->storage_errors.Increment();
  const bool found = at_once_ == 1 && !closing_.empty();
  if (found) damaged_.insert(closing_.begin(), closing_.end());
  const bool go_on = found || at_once_ > 1;
  at_once_ = 1;
  swept_singly_ = 0;
  return go_on;
}

void Teacher::probe(Time now) {
  Statement write(*database_, "INSERT OR REPLACE INTO meta(name, value) VALUES('probed', ?)");
  write.run(now);
}

// An impression came after others with larger numbers had been looked at: its thread had to wait.
void Teacher::sweep_from(std::uint64_t number) {
  cursor_ = number - 1;
  if (settled_ >= number) keep_cursor(cursor_);
}

void Teacher::keep_cursor(std::uint64_t settled) {
  Statement keep(*database_, "INSERT OR REPLACE INTO meta(name, value) VALUES('cursor', ?)");
  keep.run(settled);
  settled_ = settled;
}

// Impressions are numbered in the order of time: all up to the cursor are closed or wait.
bool Teacher::close_due(Time now) {
  std::size_t looked_at = 0;
  {
    Statement select(*database_,
                     "SELECT number, state, made, news, model FROM impression WHERE number > ? "
                     "ORDER BY number LIMIT ?");
    const Time least = least_close_after(*list_);
    Rows rows = select.rows(cursor_, std::uint64_t{kMostAtOnce});
    while (rows.next() && rows.number(2) + least <= now) {
      ++looked_at;
      cursor_ = static_cast<std::uint64_t>(rows.number(0));
      if (rows.number(1) != 0) continue;
      const Time at = rows.number(3) + close_after(*list_, rows.number(4));
      waiting_.emplace(at, cursor_);
      waiting_numbers_.insert(cursor_);
    }
  }
  const bool more = looked_at == kMostAtOnce;
  while (closing_.size() < at_once_) {
    if (waiting_.empty() || waiting_.begin()->first > now) break;
    const std::uint64_t number = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    waiting_numbers_.erase(number);
    if (damaged_.contains(number)) continue;
    closing_.push_back(number);
    const auto found = impressions_.find(number);
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
    Statement select(*database_, sql.c_str());
    Rows rows = select.rows();
    while (old.size() < at_once_ && rows.next() && rows.number(4) + lifetimes_.keep < now) {
      if (rows.number(5) + lifetimes_.correct_for >= now) continue;
      const auto number = static_cast<std::uint64_t>(rows.number(0));
      if (damaged_.contains(number)) continue;
      closing_.push_back(number);
      old.push_back(read_impression(rows));
    }
  }
  Statement drop(*database_, "DELETE FROM impression WHERE number = ?");
  Statement drop_named(*database_, "DELETE FROM named WHERE id = ?");
  Statement drop_event(*database_, "DELETE FROM event WHERE id = ?");
  for (const Impression& impression : old) {
    fold_into_base(impression);
    drop.run(impression.number);
    if (!impression.id.empty()) drop_named.run(impression.id);
    for (const std::string& event : impression.events) drop_event.run(event);
  }
  purged_ += old.size();
  return old.size() == at_once_;
}

// state = base + the impressions that are recorded: what goes from these goes to the base.
void Teacher::fold_into_base(const Impression& impression) {
  if (!impression.contribution.counted) return;
  Statement find(*database_, "SELECT base_positions, forgotten FROM query WHERE id = ?");
  Rows query = find.rows(impression.query);
  if (!query.next()) return;
  if (impression.number <= static_cast<std::uint64_t>(query.number(1))) return;
  auto positions = decode_rows(query.text(0));
  const Contribution& contribution = impression.contribution;
  positions.resize(std::max(positions.size(), contribution.positions.size()));
  for (std::size_t k = 0; k < contribution.positions.size(); ++k) {
    add_row(positions[k], contribution.positions[k], 1);
  }
  const std::string bytes = encode(positions);
  Statement keep(*database_,
                 "UPDATE query SET base_rounds = base_rounds + 1, base_positions = ? WHERE id = ?");
  keep.run(BlobView{bytes}, impression.query);
  Statement item(*database_, "SELECT base, forgotten FROM item WHERE query = ? AND name = ?");
  Statement keep_item(*database_, "UPDATE item SET base = ? WHERE query = ? AND name = ?");
  for (std::size_t k = 0; k < contribution.items.size(); ++k) {
    const std::string& name = impression.page.items[k];
    Rows known = item.rows(impression.query, name);
    if (!known.next()) continue;
    Row row = known.text(0).empty() ? Row() : BlobReader(known.text(0)).row();
    if (impression.number <= static_cast<std::uint64_t>(known.number(1))) continue;
    add_row(row, contribution.items[k], 1);
    const std::string blob = row_blob(row);
    keep_item.run(BlobView{blob}, impression.query, name);
  }
}

}  // namespace dcmrank::service

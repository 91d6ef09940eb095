// What the writer does in the course of time: impressions close and go, and whatever else nobody
// asked for by name.
#include <algorithm>

#include "dcmrank/ledger/rules.h"
#include "dcmrank/service/teacher.h"
#include "dcmrank/service/writer.h"

namespace dcmrank::service {

bool Teacher::sweep() {
  for (const std::uint64_t number : damaged_) store_->set_aside(number);
  set_aside_ = true;
  looked_at_.clear();
  const auto numbers = store_->due(now_, at_once_);
  for (const std::uint64_t number : numbers) {
    looked_at_.push_back(number);
    if (auto impression = store_->find(number)) look_at(std::move(*impression));
  }
  bool more = numbers.size() == at_once_;
  if (!more && now_ >= keeps_all_until_) {
    const auto old = store_->old(now_ - lifetimes_.keep, at_once_);
    for (const std::uint64_t number : old) {
      looked_at_.push_back(number);
      const auto impression = store_->find(number);
      if (impression && is_old(*impression, now_, lifetimes_)) let_go(*impression);
    }
    more = old.size() == at_once_;
  }
  at_once_ = std::min(2 * at_once_, kMostAtOnce);
  return more;
}

void Teacher::look_at(Impression impression) {
  if (!knows(impression.model)) return store_->set_aside(impression.number);
  if (const Time at = due(impression); at > now_) return store_->update(impression, at);
  Working& work = work_on(std::move(impression));
  time_out(work.impression, now_);
  work.changed = true;
}

// state = base + the impressions that are recorded: what goes from these goes to the base.
void Teacher::let_go(const Impression& impression) {
  QueryDelta delta;
  delta.add(impression.page, impression.contribution, 1);
  const QueryKey key{impression.model, impression.query};
  store_->add(key, delta, StoreWriter::Into::kBase, now_);
  store_->remove(impression);
  ++purged_;
}

// A damaged row, of whatever table, is found by looking at one impression at a time, and set aside
// then: it must not keep all others from closing. `verify` tells of it.
bool Teacher::sweep_failed() {
  metrics_->storage_errors.Increment();
  if (looked_at_.size() == 1) damaged_.push_back(looked_at_.front());
  const bool go_on = !looked_at_.empty();
  at_once_ = 1;
  return go_on;
}

bool Teacher::tidy() {
  looked_at_.clear();
  if (shared_ || !held_.empty()) {
    for (const auto& [caller, count] : store_->expire_held(now_)) {
      auto& held = held_[caller];
      held -= std::min(held, count);
      if (held == 0) held_.erase(caller);
      metrics_->held_expired.Increment(static_cast<double>(count));
    }
  }
  const auto forgotten = [this](const auto& mark) { return mark.second.forget < now_; };
  std::erase_if(marks_, forgotten);
  std::erase_if(marked_ids_, forgotten);
  constexpr std::size_t kSome = 100;
  // The store looks for other things, too, which have no age.
  const bool keeps_all = now_ < keeps_all_until_;
  for (QueryKey& key : store_->trim(keeps_all ? 0 : now_ - lifetimes_.unused(), kSome)) {
    stale_.insert(std::move(key));
    ++trimmed_;
  }
  const bool more = store_->erase_some(kMostAtOnce);
  for (const HeldEvent& held : store_->ripe(kMostAtOnce)) take_held(held);
  return more;
}

// What was learned is gone with it: at most one line a minute, and what is left at the end.
void Writer::tell_of_trimmed(bool at_once) {
  constexpr Time kTellEvery = 60'000;
  trimmed_ += teacher_.take_trimmed();
  const Time now = clock_->now();
  const bool early = told_of_trimmed_ && now - *told_of_trimmed_ < kTellEvery;
  if (trimmed_ == 0 || (early && !at_once)) return;
  told_of_trimmed_ = now;
  journal_->line(Journal::Level::kInfo, "unused_removed")
      .with("queries", std::exchange(trimmed_, 0));
}

}  // namespace dcmrank::service

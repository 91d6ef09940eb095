// The part of the writer's transaction in which impressions teach.
#include <algorithm>
#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/service/teacher.h"

namespace dcmrank::service {

std::shared_ptr<QueryEntry> Teacher::touch(const QueryKey& key) {
  if (const auto at = touched_.find(key); at != touched_.end()) return at->second;
  return touched_.emplace(key, cache_->get(key.model, key.query, *store_, true)).first->second;
}

// The model's policy may have got options since the list was shown that do not fit its length.
Learner& Teacher::learner_for(const Model& model, std::size_t positions) {
  try {
    return learners_.get(model.policy, positions);
  } catch (const InputError&) {
    return learners_.get(parse_policy_spec(model.policy.name), positions);
  }
}

void Teacher::teach(Working& work) {
  Impression& impression = work.impression;
  const QueryKey key{impression.model, impression.query};
  if (!list_->by_id.contains(impression.model)) return;  // it was erased meanwhile
  const auto entry = touch(key);
  // As long as its model has learned nothing, others may give it a policy of any other rows.
  if (entry->state.rounds == 0) look_again();
  const auto known = list_->by_id.find(impression.model);
  if (known == list_->by_id.end()) return;
  const Model& model = *known->second;
  const Page& page = impression.page;
  Learner& learner = learner_for(model, page.items.size());
  Contribution before = std::exchange(impression.contribution, {});
  {
    const std::unique_lock lock(entry->mutex);
    apply(entry->state, page, before, -1);
    try {
      if (static_cast<std::int64_t>(entry->state.rounds) < kMostRounds) {
        impression.contribution = learner.learn(entry->state, page, impression.seen_clicks());
      }
    } catch (...) {  // rollback knows only of what is in applied_
      apply(entry->state, page, before, 1);
      throw;
    }
    apply(entry->state, page, impression.contribution, 1);
  }
  QueryDelta& delta = deltas_[key].delta;
  delta.add(page, before, -1);
  delta.add(page, impression.contribution, 1);
  applied_.push_back({entry.get(), &work, std::move(before)});
}

void Teacher::expect_imports(std::vector<QueryKey> keys) {
  const auto rounds = store_->rounds(keys);
  for (std::size_t n = 0; n < keys.size(); ++n) rounds_[std::move(keys[n])] = rounds[n];
}

// Into the base as well: state = base + the impressions that are recorded.
bool Teacher::import(const Model& model, const Import& import) {
  const QueryKey key{model.id, import.query};
  if (!rounds_.contains(key)) expect_imports({key});
  std::uint64_t& rounds = rounds_[key];
  if (static_cast<std::int64_t>(rounds) > kMostRounds - import.delta.rounds) return false;
  rounds += static_cast<std::uint64_t>(import.delta.rounds);
  store_->add(key, import.delta, StoreWriter::Into::kBoth, now_);
  stale_.insert(key);
  imported_[model.id] += static_cast<std::uint64_t>(std::max<std::int64_t>(1, import.delta.rounds));
  return true;
}

}  // namespace dcmrank::service

#include "dcmrank/service/relearn.h"

#include <algorithm>
#include <utility>

#include "dcmrank/ledger/rules.h"

namespace dcmrank::service {
namespace {

std::uint64_t learn_query(StoreWriter& store, const Model& model, const QueryKey& key, Time now,
                          LearnerRoom& learners) {
  store.lock(key);
  auto numbers = store.impressions_of(key, SIZE_MAX >> 1U);
  std::sort(numbers.begin(), numbers.end());
  store.reset(key);
  QueryState state;
  QueryDelta sum;
  for (const std::uint64_t number : numbers) {
    auto impression = store.find(number);
    if (!impression || !impression->contribution.counted) continue;
    const Page& page = impression->page;
    Learner& learner = learners.get(model.policy, page.items.size());
    impression->contribution = learner.learn(state, page, impression->seen_clicks());
    apply(state, page, impression->contribution, 1);
    sum.add(page, impression->contribution, 1);
    store.update(*impression, due_time(*impression, model.closes_after));
  }
  store.add(key, sum, StoreWriter::Into::kState, now);
  return state.rounds;
}

}  // namespace

bool must_learn_anew(const Model& model) {
  return !model.kept.empty() && model.kept != model.family.name;
}

std::uint64_t learn_anew(Store& shelf, Model model, Time now) {
  const auto writer = shelf.writer();
  StoreWriter& store = *writer;
  const std::size_t at_once = shelf.is_shared() ? 1 : 100;  // a lock is on one query
  std::uint64_t taught = 0;
  LearnerRoom learners;
  std::string after;
  for (;;) {
    const auto queries = store.queries(model.id, after, at_once);
    if (queries.empty()) break;
    store.begin();
    for (const auto& query : queries) {
      taught += learn_query(store, model, {model.id, query.name}, now, learners);
    }
    if (store.commit().any()) continue;  // somebody else was faster
    after = queries.back().name;
  }
  model.kept = model.family.name;
  model.learned_anew = now;
  store.begin();
  store.put(model);
  store.commit();
  return taught;
}

}  // namespace dcmrank::service

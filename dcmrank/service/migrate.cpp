#include "dcmrank/service/migrate.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/ledger/numbers.h"
#include "dcmrank/ledger/rules.h"

namespace dcmrank::service {
namespace {

constexpr std::size_t kMovedAtOnce = 500;  // impressions

QueryDelta delta_of(const QueryState& state) {
  QueryDelta delta;
  delta.rounds = static_cast<std::int64_t>(state.rounds);
  delta.positions = state.positions;
  for (const auto& entry : state.items.entries()) delta.items[entry.id] = entry.row();
  return delta;
}

std::string sums_of(const QueryState& state) {
  QueryDelta delta = delta_of(state);
  while (!delta.positions.empty() && delta.positions.back().empty()) delta.positions.pop_back();
  std::erase_if(delta.items, [](const auto& item) { return item.second.empty(); });
  return encode(delta);
}

class Mover {
 public:
  Mover(Store& from, Store& to, std::stop_token stop)
      : from_(from.writer()),
        to_(to.writer()),
        stop_(std::move(stop)),
        longest_(to.longest_id()),
        now_(to.now()) {}

  // In one transaction: whatever ends it, nothing of it is there.
  Moved run() {
    to_->begin();
    to_->together();
    to_->flush();
    refuse_full();
    numbers_.emplace(to_->begin_start());
    for (const auto& [caller, count] : from_->held()) moved_.held += count;
    const auto models = from_->models();
    refuse_unknown(models);
    for (Model model : models) {
      const std::int64_t before = model.id;
      check_length("model", model.name);
      model.id = to_->put(model);
      ++moved_.models;
      std::string after;
      for (;;) {
        const auto some = from_->queries(before, after, 100);
        if (some.empty()) break;
        for (const auto& query : some) move(before, model, query.name);
        after = some.back().name;
      }
    }
    if (to_->commit().any()) throw StorageError("something else is writing to the database");
    return moved_;
  }

 private:
  void refuse_full() {
    for (const Model& model : to_->models()) {
      if (to_->queries(model.id, "", 1).empty()) continue;
      throw InputError(
          fmt::format("the database is not empty: model {} has queries", quote(model.name)));
    }
  }

  void check_length(const char* what, const std::string& id) const {
    if (id.size() <= longest_) return;
    throw InputError(
        fmt::format("{} {} has {} bytes; PostgreSQL keeps ids of at most {}: nothing was moved",
                    what, quote(id), id.size(), longest_));
  }

  void move(std::int64_t before, const Model& model, const std::string& name) {
    if (stop_.stop_requested()) throw Interrupted("interrupted; nothing was moved");
    check_length("query", name);
    const QueryKey source{before, name};
    const QueryKey target{model.id, name};
    QueryState state;
    QueryState base;
    std::vector<Impression> impressions;
    from_->recount(source, state, base,
                   [&](const Impression& impression) { impressions.push_back(impression); });
    to_->add(target, delta_of(base), StoreWriter::Into::kBoth, now_);
    QueryDelta rest = delta_of(state);
    for (const auto& [item, row] : rest.items) check_length("item", item);
    QueryDelta less = delta_of(base);
    rest.rounds -= less.rounds;
    rest.positions.resize(std::max(rest.positions.size(), less.positions.size()));
    for (std::size_t k = 0; k < less.positions.size(); ++k) {
      rest.positions[k].add(less.positions[k], -1);
    }
    for (const auto& [item, row] : less.items) rest.items[item].add(row, -1);
    to_->add(target, rest, StoreWriter::Into::kState, now_);
    to_->flush();
    for (std::size_t n = 0; n < impressions.size(); ++n) {
      move(before, model, impressions[n]);
      if (n % kMovedAtOnce == kMovedAtOnce - 1 || n + 1 == impressions.size()) to_->flush();
    }
    compare(target, state, base, impressions.size());
    ++moved_.queries;
  }

  void move(std::int64_t before, const Model& model, const Impression& impression) {
    NewImpression list;
    list.number = numbers_->next(bucket_of(model.id, impression.query));
    list.word = impression.word;
    list.made = impression.made;
    list.model = model.id;
    list.query = impression.query;
    list.page = encode(impression.page);
    list.id = impression_id(impression);  // by which callers know it, whoever made it
    check_length("impression", list.id);
    for (const std::string& item : impression.page.items) check_length("item", item);
    if (const auto named = from_->named(before, impression.id)) {
      list.body = named->body;
      list.answer = named->answer;
    }
    // Whoever serves it knows the time of models that have none of their own, and looks again.
    const bool own = model.close_after != kAsTheService;
    const Time due = due_time(impression, own ? model.close_after : 0);
    if (!to_->insert(list, due)) {
      throw StorageError(fmt::format("impression {} already exists", quote(list.id)));
    }
    Impression anew = impression;
    anew.number = list.number;
    anew.model = model.id;
    anew.id = list.id;
    to_->update(anew, due);
    for (const std::string& id : impression.events) {
      const auto hash = from_->event(impression.number, before, id);
      if (!hash) continue;
      check_length("event", id);
      to_->insert_event(anew.number, model.id, id, *hash);
      ++moved_.events;
    }
    ++moved_.impressions;
  }

  void compare(const QueryKey& key, const QueryState& state, const QueryState& base,
               std::size_t impressions) {
    QueryState state_there;
    QueryState base_there;
    std::size_t there = 0;
    to_->recount(key, state_there, base_there, [&](const Impression&) { ++there; });
    const bool same = sums_of(state) == sums_of(state_there) &&
                      sums_of(base) == sums_of(base_there) && impressions == there;
    if (!same) throw std::runtime_error(fmt::format("query {} differs there", quote(key.query)));
  }

  std::unique_ptr<StoreWriter> from_;
  std::unique_ptr<StoreWriter> to_;
  std::stop_token stop_;
  std::optional<Numbers> numbers_;
  std::size_t longest_;
  Time now_ = 0;
  Moved moved_;
};

}  // namespace

Moved move_store(Store& from, Store& to, const std::stop_token& stop) {
  return Mover(from, to, stop).run();
}

}  // namespace dcmrank::service

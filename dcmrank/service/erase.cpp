// The part of the writer that erases: rows and text, of what is on its way here, too.
#include <chrono>
#include <thread>

#include "dcmrank/http/json_writer.h"
#include "dcmrank/ledger/rules.h"
#include "dcmrank/service/teacher.h"

namespace dcmrank::service {
namespace {

constexpr Time kOnItsWay = 60'000;  // the longest time from ranking to here, milliseconds
constexpr std::size_t kAll = SIZE_MAX >> 1U;

bool would_show(std::string_view answer, std::string_view item) {
  const std::size_t list = answer.rfind(kWouldShow);
  if (list == std::string_view::npos) return false;
  std::string text;
  append_text(text, item);
  return answer.find(text, list + kWouldShow.size()) != std::string_view::npos;
}

}  // namespace

bool Teacher::is_in_answer(const Impression& impression, std::string_view item) {
  if (impression.id.empty()) return false;  // it has none that is stored
  const auto named = store_->named(impression.model, impression.id);
  return named && would_show(named->answer, item);
}

bool Teacher::erase_query(const QueryKey& key, std::uint64_t until) {
  store_->lock(key);
  QueryState state;
  if (!store_->load_state(key, state)) return false;
  store_->erase_query(key);
  marks_.emplace(key, Mark{"", until, now_ + kOnItsWay});
  stale_.insert(key);
  count_held();
  return true;
}

bool Teacher::erase_item(const QueryKey& key, std::string_view item, std::uint64_t until) {
  store_->lock(key);
  QueryState state;
  if (!store_->load_state(key, state)) return false;
  bool found = state.items.entry(item, id_hash(item)) != nullptr;
  for (const std::uint64_t number : store_->impressions_of(key, kAll)) {
    auto impression = store_->find(number);
    if (!impression) continue;
    const bool shown = service::erase_item(*impression, item);
    if (!shown && !is_in_answer(*impression, item)) continue;
    impression->events.clear();
    store_->rewrite(*impression, due(*impression));
    found = found || shown;
  }
  store_->erase_item(key, item);
  marks_.emplace(key, Mark{std::string(item), until, now_ + kOnItsWay});
  stale_.insert(key);
  count_held();
  return found;
}

bool Teacher::erase_stored(std::int64_t model, std::string_view id) {
  auto impression = store_->find(model, id);
  if (!impression) return false;
  if (!impression->id.empty()) store_->erase_id(impression->model, impression->id);
  const QueryKey key{impression->model, impression->query};
  store_->lock(key);
  impression = store_->find(model, id);
  if (!impression) {
    store_->begin();
    return false;
  }
  QueryDelta delta;
  delta.add(impression->page, impression->contribution, -1);
  if (impression->contribution.counted) {
    store_->add(key, delta, StoreWriter::Into::kState, now_);
  }
  store_->remove(*impression);
  store_->drop_empty(key);
  stale_.insert(key);
  count_held();
  return true;
}

// Events may wait for a list that is on its way, here or at another server. Once these have its id,
// and the list is not there yet, it soon is, or never.
Teacher::Erased Teacher::erase_impression(std::int64_t model, std::string_view id,
                                          std::uint64_t until) {
  constexpr int kLooks = 20;
  bool erased = false;
  for (int looks = 1; looks <= kLooks; ++looks) {
    if (erase_stored(model, id)) return Erased::kYes;
    erased = store_->erase_held(model, id) || erased;
    count_held();
    if (const auto named = store_->named(model, id); !named || named->stored) {
      if (!erased) return Erased::kUnknown;
      marked_ids_[{model, std::string(id)}] = Mark{"", until, now_ + kOnItsWay};
      return Erased::kYes;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(looks));
    store_->begin();
  }
  return Erased::kOnItsWay;
}

void Teacher::erase_model(std::int64_t model) {
  store_->erase_model(model);
  count_held();
}

// False where nothing of it is to be kept.
bool Teacher::erase_marked(NewImpression& impression) const {
  const auto own = marked_ids_.find({impression.model, impression.id});
  if (own != marked_ids_.end() && impression.number <= own->second.until) return false;
  const auto [first, last] = marks_.equal_range({impression.model, impression.query});
  for (auto at = first; at != last; ++at) {
    const Mark& mark = at->second;
    if (impression.number > mark.until) continue;
    if (mark.item.empty()) return false;
    Impression list;
    list.page = decode_page(impression.page);
    const bool shown = service::erase_item(list, mark.item);
    if (!shown && !would_show(impression.answer, mark.item)) continue;
    impression.page = encode(list.page);
    impression.answer.clear();
  }
  return true;
}

}  // namespace dcmrank::service

#include "dcmrank/service/backlog.h"

#include <algorithm>
#include <utility>

#include "dcmrank/ledger/id_hash.h"

namespace dcmrank::service {
namespace {

// Two ids may have the same one: then a list is taken before its turn, which does no harm.
std::uint64_t key_of(std::string_view id) {
  const auto made = parse_made_id(id);
  return made ? made->number : id_hash(id);
}

std::uint64_t key_of(const NewImpression& impression) {
  return impression.id.empty() ? impression.number : key_of(impression.id);
}

}  // namespace

void Backlog::add(std::vector<Shown> lists) {
  for (Shown& shown : lists) {
    if (shown.done) awaited_.push_back(end());
    lists_.emplace_back(std::move(shown));
  }
  size_ += lists.size();
}

void Backlog::put_back(std::vector<Shown> lists) {
  for (std::size_t n = lists.size(); n-- > 0;) {
    lists_.emplace_front(std::move(lists[n]));
    --first_;
    if (!places_.empty()) mark(first_);
  }
  size_ += lists.size();
}

void Backlog::mark(Place place) {
  const auto& shown = lists_[static_cast<std::size_t>(place - first_)];
  if (shown) places_.emplace(key_of(shown->impression), place);
}

void Backlog::look_up() {
  if (places_.empty()) known_ = first_;
  for (; known_ < end(); ++known_) mark(known_);
}

Shown Backlog::take_out(Place place) {
  auto& kept = lists_[static_cast<std::size_t>(place - first_)];
  Shown shown = std::move(*kept);
  kept.reset();
  --size_;
  if (places_.empty()) return shown;
  const auto [from, to] = places_.equal_range(key_of(shown.impression));
  const auto at = std::find_if(from, to, [&](const auto& known) { return known.second == place; });
  if (at != to) places_.erase(at);
  return shown;
}

std::vector<Shown> Backlog::take(std::size_t most, std::span<const Feedback> feedback) {
  std::vector<Place> places = std::exchange(awaited_, {});
  if (size_ > most && !feedback.empty()) {
    look_up();
    for (const Feedback& request : feedback) {
      for (const Event& event : request.events) {
        const auto [from, to] = places_.equal_range(key_of(event.impression));
        for (auto at = from; at != to; ++at) places.push_back(at->second);
      }
    }
  }
  std::size_t left = std::min(most, size_);
  for (Place place = first_; left > 0; ++place) {
    if (!lists_[static_cast<std::size_t>(place - first_)]) continue;
    places.push_back(place);
    --left;
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<Shown> taken;
  taken.reserve(places.size());
  for (const Place place : places) taken.push_back(take_out(place));
  while (!lists_.empty() && !lists_.front()) {
    lists_.pop_front();
    ++first_;
  }
  if (lists_.empty()) places_.clear();
  return taken;
}

}  // namespace dcmrank::service

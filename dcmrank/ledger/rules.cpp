#include "dcmrank/ledger/rules.h"

#include <algorithm>

namespace dcmrank::service {
namespace {

bool is_too_late(const Impression& impression, Time now, const Lifetimes& lifetimes) {
  return impression.state != ImpressionState::kOpen &&
         now - impression.news > lifetimes.correct_for;
}

EventResult take_click(Impression& impression, std::string_view item, Time now,
                       const Lifetimes& lifetimes) {
  const auto& items = impression.page.items;
  const auto at = std::find(items.begin(), items.end(), item);
  if (at == items.end()) return {EventStatus::kRejected, "the item is not in the impression"};
  std::uint8_t& clicked = impression.clicks[static_cast<std::size_t>(at - items.begin())];
  if (clicked != 0) return {EventStatus::kDuplicate, "the item was clicked before"};
  if (is_too_late(impression, now, lifetimes)) {
    return {EventStatus::kLate, "the impression closed too long ago"};
  }
  clicked = 1;
  return {};
}

// Of several close events the largest `seen` holds, so that their order does not matter.
EventResult take_close(Impression& impression, std::optional<std::size_t> seen, Time now,
                       const Lifetimes& lifetimes) {
  const std::size_t size = impression.page.items.size();
  if (seen.value_or(0) > size) {
    return {EventStatus::kRejected, "seen is above the number of positions"};
  }
  if (is_too_late(impression, now, lifetimes)) {
    return {EventStatus::kLate, "the impression closed too long ago"};
  }
  const bool was_closed = impression.state == ImpressionState::kClosed;
  if (was_closed && seen.value_or(size) <= impression.seen.value_or(size)) {
    return {EventStatus::kDuplicate, "the impression was closed before"};
  }
  if (impression.state == ImpressionState::kOpen) impression.news = now;
  impression.state = ImpressionState::kClosed;
  impression.seen = seen;
  return {};
}

}  // namespace

EventResult take_event(Impression& impression, const Event& event, Time now,
                       const Lifetimes& lifetimes) {
  EventResult result = event.type == Event::Type::kClick
                           ? take_click(impression, event.item, now, lifetimes)
                           : take_close(impression, event.seen, now, lifetimes);
  const bool accepted = result.status == EventStatus::kAccepted;
  if (accepted && impression.state == ImpressionState::kOpen) impression.news = now;
  return result;
}

Time due_time(const Impression& impression, Time close_after) {
  return impression.news + close_after;
}

bool is_old(const Impression& impression, Time now, const Lifetimes& lifetimes) {
  return impression.state != ImpressionState::kOpen && impression.made + lifetimes.keep < now &&
         impression.news + lifetimes.correct_for < now;
}

void time_out(Impression& impression, Time now) {
  impression.state = ImpressionState::kTimedOut;
  impression.news = now;
}

bool erase_item(Impression& impression, std::string_view item) {
  auto& items = impression.page.items;
  const auto at = std::find(items.begin(), items.end(), item);
  if (at == items.end()) return false;
  const auto n = static_cast<std::size_t>(at - items.begin());
  at->clear();
  impression.events.clear();
  if (n < impression.contribution.items.size()) impression.contribution.items[n] = Row();
  return true;
}

}  // namespace dcmrank::service

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/learner.h"
#include "dcmrank/ledger/lifetimes.h"

namespace dcmrank::service {

enum class ImpressionState : std::uint8_t {
  kOpen = 0,
  kClosed = 1,    // by a close event
  kTimedOut = 2,  // by the model's close_after
};

/// A list that was shown, what is known of it, and what it taught.
struct Impression {
  std::uint64_t number = 0;
  std::uint32_t word = 0;  // random: nobody can guess an id from another
  std::int64_t model = 0;
  std::string query;
  Time made = 0;
  Time news = 0;  // of the last event that changed it; once it is closed, when it closed
  ImpressionState state = ImpressionState::kOpen;
  std::optional<std::size_t> seen;  // positions on the screen, where the caller said so
  std::string id;                   // the caller's; empty if the service made it
  Page page;
  std::vector<std::uint8_t> clicks;  // one per position
  Contribution contribution;
  std::vector<std::string> events;  // ids of the events that it took
  std::int64_t revision = 0;        // how often it changed, where several processes may change it

  /// The clicks to learn from: one entry for every position that was on the screen. A click shows
  /// that its position was, whatever `seen` says.
  Clicks seen_clicks() const;
};

/// The id of an impression as callers see it: theirs, or "i-" and 24 hexadecimal digits.
std::string impression_id(const Impression& impression);
std::string made_id(std::uint64_t number, std::uint32_t word);

struct MadeId {
  std::uint64_t number;
  std::uint32_t word;
};
/// Nothing if the id does not have the form that the service gives.
std::optional<MadeId> parse_made_id(std::string_view id);

struct Event {
  std::string model;  // by name; empty if the caller did not say
  enum class Type : std::uint8_t { kClick = 0, kClose = 1 };
  std::string impression;
  Type type = Type::kClick;
  std::string item;
  std::string id;
  std::optional<std::size_t> seen;
};

enum class EventStatus : std::uint8_t { kAccepted, kDuplicate, kLate, kUnknown, kRejected };
const char* to_text(EventStatus status);

struct EventResult {
  EventStatus status = EventStatus::kAccepted;
  std::string reason;
  std::optional<std::size_t> bucket{};  // whose commit it waits for
  bool held = false;                    // it waits for its impression
};

/// As the database holds them.
std::string encode(const Page& page);
Page decode_page(std::string_view bytes);
std::string encode(const Contribution& contribution);
Contribution decode_contribution(std::string_view bytes);
/// One for each of so many positions; no bytes: there was none. Throws where they do not fit.
std::vector<std::uint8_t> decode_clicks(std::string_view bytes, std::size_t positions);
/// Without the name of its model.
std::string encode(const Event& event);
Event decode_event(std::string_view bytes);
/// Tells an event from others without its text; of what encode() gave.
std::string event_hash(std::string_view encoded);
std::string encode(const std::vector<std::string>& texts);
std::vector<std::string> decode_texts(std::string_view bytes);
std::string encode(const std::vector<Row>& rows);
std::vector<Row> decode_rows(std::string_view bytes);

}  // namespace dcmrank::service

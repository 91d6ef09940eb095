#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dcmrank/http/message.h"
#include "dcmrank/ledger/impression.h"
#include "dcmrank/ledger/learner.h"
#include "dcmrank/service/options.h"

namespace dcmrank::service {

/// Bodies of requests, as they are read. Unknown fields are ignored, but for slips of the
/// fields of a model; wrong types are not: an ApiError names the field. Views live until the next
/// body is parsed.

struct RankRequest {
  std::string_view query;
  std::vector<Candidate> items;  // distinct
  std::optional<std::size_t> k;
  std::string_view model;  // empty: the caller did not say
  std::string_view id;
  bool durable = false;  // the answer waits until the list is stored
};

/// An event, or the reason why it is not one.
using ParsedEvent = std::variant<Event, std::string>;

struct FeedbackRequest {
  std::vector<ParsedEvent> events;
};

struct ModelRequest {
  std::optional<std::string> policy;
  std::optional<std::size_t> k;
  std::optional<std::int64_t> close_after;  // milliseconds, or kAsTheService
  std::optional<bool> shadow;
};

/// Why a model cannot have so many positions.
std::string k_too_large(std::size_t k, const Limits& limits);

/// Reads bodies into memory that it keeps for the next one. One thread at a time.
class BodyParser {
 public:
  explicit BodyParser(const Limits& limits);
  ~BodyParser();
  BodyParser(const BodyParser&) = delete;
  BodyParser& operator=(const BodyParser&) = delete;
  BodyParser(BodyParser&&) = delete;
  BodyParser& operator=(BodyParser&&) = delete;

  const RankRequest& rank(std::string_view body);
  FeedbackRequest feedback(std::string_view body, std::string_view content_type);
  ModelRequest model(std::string_view body);

 private:
  struct Room;
  std::unique_ptr<Room> room_;
};

}  // namespace dcmrank::service

#include "dcmrank/service/bodies.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/text.h"
#include "dcmrank/ledger/model.h"

namespace dcmrank::service {
namespace json = boost::json;

namespace {

constexpr std::size_t kDeepest = 16;

[[noreturn]] void refuse(std::string message, std::string field) {
  throw ApiError{400, "bad_field", std::move(message), std::move(field)};
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::string_view text_of(const json::value& value, const Limits& limits, std::string_view field) {
  const json::string* text = value.if_string();
  if (text == nullptr) refuse(fmt::format("{} must be a string", field), std::string(field));
  if (text->empty()) refuse(fmt::format("{} is empty", field), std::string(field));
  if (text->size() > limits.id) {
    refuse(fmt::format("{} has {} bytes; at most {} are allowed", field, text->size(), limits.id),
           std::string(field));
  }
  return view(*text);
}

std::string_view optional_text(const json::object& object, const char* field, const Limits& limits,
                               std::string_view otherwise) {
  const json::value* value = object.if_contains(field);
  return value == nullptr ? otherwise : text_of(*value, limits, field);
}

std::optional<std::size_t> optional_count(const json::object& object, const char* field,
                                          std::size_t least) {
  const json::value* value = object.if_contains(field);
  if (value == nullptr) return std::nullopt;
  const std::int64_t* number = value->if_int64();
  if (number == nullptr || *number < static_cast<std::int64_t>(least)) {
    refuse(fmt::format("{} must be a whole number of at least {}", field, least), field);
  }
  return static_cast<std::size_t>(*number);
}

double count_of(const json::object& item, const char* field, std::size_t n) {
  const json::value* value = item.if_contains(field);
  if (value == nullptr) return 0;
  const double number = value->is_number() ? value->to_number<double>() : -1;
  if (!(number >= 0 && number <= 1e9)) {
    const std::string name = fmt::format("items[{}].{}", n, field);
    refuse(fmt::format("{} must be a number from 0 to 1e9", name), name);
  }
  return number;
}

Candidate candidate_of(const json::value& value, std::size_t n, const Limits& limits) {
  const auto name = [n] { return fmt::format("items[{}]", n); };
  if (const json::string* id = value.if_string()) {
    if (id->empty() || id->size() > limits.id) text_of(value, limits, name());  // refuses
    return {view(*id), id_hash(view(*id)), {}};
  }
  const json::object* item = value.if_object();
  const json::value* id = item == nullptr ? nullptr : item->if_contains("id");
  if (id == nullptr)
    refuse(fmt::format("{} must be an id or an object with an id", name()), name());
  const std::string_view text = text_of(*id, limits, name() + ".id");
  const Counts prior{count_of(*item, "observed", n), count_of(*item, "attracted", n)};
  if (prior.attracted > prior.observed) {
    refuse(fmt::format("{}.attracted is above observed", name()), name() + ".attracted");
  }
  return {text, id_hash(text), prior};
}

std::optional<std::string_view> event_text(const json::object& object, const char* field,
                                           const Limits& limits) {
  const json::value* value = object.if_contains(field);
  if (value == nullptr) return std::nullopt;
  return text_of(*value, limits, field);
}

// Unknown fields are ignored, but for what looks like a slip of a known one: who administers
// changes something, or hears that nothing was changed.
void check_fields(const json::object& object, const std::vector<std::string>& known,
                  const std::set<std::string_view>& of_answers) {
  for (const auto& field : object) {
    const std::string_view name(field.key().data(), field.key().size());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = suggestion(name, known);
    if (meant.empty() || of_answers.contains(name)) continue;
    refuse(fmt::format("there is no field {}{}; a model has {}", quote(name), meant,
                       fmt::join(known, ", ")),
           std::string(name));
  }
}

Event event_of(const json::value& value, const Limits& limits) {
  const json::object* object = value.if_object();
  if (object == nullptr) refuse("an event must be an object", "");
  Event event;
  const auto impression = event_text(*object, "impression", limits);
  if (!impression) refuse("impression is missing", "impression");
  event.impression = *impression;
  const auto type = event_text(*object, "type", limits);
  if (!type) refuse("type is missing", "type");
  if (*type != "click" && *type != "close") refuse("type must be click or close", "type");
  event.type = *type == "click" ? Event::Type::kClick : Event::Type::kClose;
  event.id = event_text(*object, "id", limits).value_or("");
  event.model = event_text(*object, "model", limits).value_or("");
  if (const json::value* time = object->if_contains("timestamp")) {
    if (!time->is_number() && !time->is_string()) {
      refuse("timestamp must be a number or a string", "timestamp");
    }
  }
  if (event.type == Event::Type::kClose) {
    event.seen = optional_count(*object, "seen", 0);
  } else {
    const auto item = event_text(*object, "item", limits);
    if (!item) refuse("item is missing", "item");
    event.item = *item;
  }
  return event;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string k_too_large(std::size_t k, const Limits& limits) {
  return fmt::format("k is {}; at most {} are allowed (--max-items)", k, limits.candidates);
}

struct BodyParser::Room {
  explicit Room(const Limits& given) : limits(given), parser({}, options()) {}

  static json::parse_options options() {
    json::parse_options result;
    result.max_depth = kDeepest;
    return result;
  }

  // Parses the first value of the text; `taken` is how much of it that was. `line`: which of the
  // body it is; 0: all of it.
  json::value parse(std::string_view text, std::size_t* taken = nullptr, std::size_t line = 0) {
    parser.reset(json::storage_ptr(&*arena));
    json::error_code error;
    const std::size_t size = taken == nullptr ? parser.write(text.data(), text.size(), error)
                                              : parser.write_some(text.data(), text.size(), error);
    if (taken != nullptr) *taken = size;
    if (!error && !parser.done()) parser.finish(error);
    if (!error) return parser.release();
    const std::string what = line == 0 ? "the body" : fmt::format("line {} of the body", line);
    throw ApiError{400, "bad_json",
                   fmt::format("{} is not JSON at byte {}: {}", what, size, error.message())};
  }

  // A new one: the old one's blocks would double each time that it runs over, and never shrink.
  void release() { arena.emplace(first.data(), first.size()); }

  Limits limits;
  std::array<unsigned char, 32768> first{};
  std::optional<json::monotonic_resource> arena;
  json::stream_parser parser;
  json::value document;
  RankRequest rank;
  std::vector<std::uint32_t> table;
};

BodyParser::BodyParser(const Limits& limits) : room_(std::make_unique<Room>(limits)) {}
BodyParser::~BodyParser() = default;

namespace {

// Open addressing over the hashes that the candidates carry anyway.
void check_distinct(const std::vector<Candidate>& items, std::vector<std::uint32_t>& table) {
  std::size_t size = 64;
  while (size < items.size() * 2) size *= 2;
  table.assign(size, 0);
  for (std::uint32_t n = 0; n < items.size(); ++n) {
    std::size_t at = items[n].hash & (size - 1);
    for (; table[at] != 0; at = (at + 1) & (size - 1)) {
      const Candidate& other = items[table[at] - 1];
      if (other.hash == items[n].hash && other.id == items[n].id) {
        refuse(fmt::format("items[{}] is the same as items[{}]", n, table[at] - 1),
               fmt::format("items[{}]", n));
      }
    }
    table[at] = n + 1;
  }
}

}  // namespace

const RankRequest& BodyParser::rank(std::string_view body) {
  room_->document = nullptr;
  room_->release();
  room_->document = room_->parse(body);
  const Limits& limits = room_->limits;
  const json::object* object = room_->document.if_object();
  if (object == nullptr) refuse("the body must be an object", "");
  RankRequest& request = room_->rank;
  request.items.clear();
  request.query = optional_text(*object, "query", limits, "");
  if (request.query.empty()) refuse("query is missing", "query");
  request.model = optional_text(*object, "model", limits, "");
  request.id = optional_text(*object, "id", limits, "");
  optional_text(*object, "user", limits, "");
  request.k = optional_count(*object, "k", 1);
  const json::value* durable = object->if_contains("durable");
  if (durable != nullptr && !durable->is_bool()) refuse("durable must be true or false", "durable");
  request.durable = durable != nullptr && durable->get_bool();
  const json::value* items = object->if_contains("items");
  if (items == nullptr || !items->is_array()) refuse("items must be an array", "items");
  const json::array& list = items->get_array();
  if (list.empty()) refuse("items is empty", "items");
  if (list.size() > limits.candidates) {
    throw ApiError{400, "too_many_items",
                   fmt::format("{} items; at most {} are allowed", list.size(), limits.candidates),
                   "items"};
  }
  for (std::size_t n = 0; n < list.size(); ++n) {
    request.items.push_back(candidate_of(list[n], n, limits));
  }
  check_distinct(request.items, room_->table);
  if (request.k.value_or(0) > request.items.size()) {
    refuse(fmt::format("k is {}, above the number of items, {}", *request.k, request.items.size()),
           "k");
  }
  if (parse_made_id(request.id)) refuse("id has a form reserved for the service", "id");
  return request;
}

FeedbackRequest BodyParser::feedback(std::string_view body, std::string_view content_type) {
  room_->document = nullptr;
  room_->release();
  FeedbackRequest request;
  const Limits& limits = room_->limits;
  const auto add = [&](const json::value& value) {
    if (request.events.size() >= limits.events) {
      throw ApiError{400, "too_many_events",
                     fmt::format("more than {} events in a request", limits.events)};
    }
    try {
      request.events.emplace_back(event_of(value, limits));
    } catch (const ApiError& error) {
      request.events.emplace_back(error.message);
    }
  };
  if (is_blank(body)) throw ApiError{400, "bad_json", "the body is empty"};
  std::size_t taken = 0;
  room_->document = room_->parse(body, &taken);
  const bool lines =
      content_type.starts_with("application/x-ndjson") || !is_blank(body.substr(taken));
  if (!lines) {
    if (const json::array* list = room_->document.if_array()) {
      for (const json::value& value : *list) add(value);
    } else {  // alone, it is the request's fault
      request.events.emplace_back(event_of(room_->document, limits));
    }
    return request;
  }
  room_->document = nullptr;
  std::size_t number = 0;
  for (const std::string_view line : split(body, '\n')) {
    ++number;
    if (is_blank(line)) continue;
    room_->release();
    add(room_->parse(line, nullptr, number));
  }
  return request;
}

ModelRequest BodyParser::model(std::string_view body) {
  room_->document = nullptr;
  room_->release();
  ModelRequest request;
  if (is_blank(body)) return request;
  const json::value document = room_->parse(body);
  const json::object* object = document.if_object();
  if (object == nullptr) refuse("the body must be an object", "");
  check_fields(*object, {"policy", "k", "close_after", "mode"}, {"model", "close_after_of"});
  const Limits& limits = room_->limits;
  if (const auto policy = event_text(*object, "policy", limits)) request.policy = *policy;
  request.k = optional_count(*object, "k", 1);
  if (request.k.value_or(0) > limits.candidates) refuse(k_too_large(*request.k, limits), "k");
  if (const json::value* time = object->if_contains("close_after");
      time != nullptr && time->is_null()) {
    request.close_after = kAsTheService;
  } else if (const auto text = event_text(*object, "close_after", limits)) {
    request.close_after = parse_duration(*text);
    if (!request.close_after) {
      refuse(fmt::format("close_after is {}, not {}", quote(*text), duration_demand()),
             "close_after");
    }
  }
  if (const auto mode = event_text(*object, "mode", limits)) {
    if (*mode != "online" && *mode != "shadow") refuse("mode must be online or shadow", "mode");
    request.shadow = *mode == "shadow";
  }
  return request;
}

}  // namespace dcmrank::service

#include "dcmrank/service/transfer.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/http/json_writer.h"
#include "dcmrank/service/bodies.h"

namespace dcmrank::service {
namespace json = boost::json;

namespace {

constexpr std::string_view kFormat = "dcmrank.service-state";
constexpr std::int64_t kVersion = 2;            // 1 had no last line
constexpr std::size_t kMostPositions = 10'000;  // of what is imported, learned whenever
constexpr std::size_t kMostNumbers = 20'000;    // of a row: two for each position
constexpr std::size_t kTransferPiece = 64U << 10U;

void append_row(std::string& out, const Row& row) {
  out += '[';
  for (std::size_t n = 0; n < row.size(); ++n) {
    if (n > 0) out += ',';
    // Readers of JSON take whole numbers of 64 bits; larger ones are texts.
    const Fixed number = row[n];
    const bool narrow = static_cast<std::int64_t>(number) == number;
    out += narrow ? print_fixed(number) : '"' + print_fixed(number) + '"';
  }
  out += ']';
}

void append_query(std::string& out, const std::string& model, const std::string& query,
                  const QueryState& state) {
  out += R"({"model":)";
  append_text(out, model);
  out += R"(,"query":)";
  append_text(out, query);
  out += R"(,"rounds":)";
  append_number(out, state.rounds);
  out += R"(,"positions":[)";
  for (std::size_t k = 0; k < state.positions.size(); ++k) {
    if (k > 0) out += ',';
    append_row(out, state.positions[k]);
  }
  out += R"(],"items":{)";
  // By name, in whatever order they came from their store.
  const auto entries = state.items.entries();
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return entries[a].id < entries[b].id; });
  for (const std::size_t n : order) {
    if (out.back() != '{') out += ',';
    append_text(out, entries[n].id);
    out += ':';
    append_row(out, entries[n].row());
  }
  out += "}}\n";
}

[[noreturn]] void refuse(std::size_t line, const std::string& message) {
  throw ApiError{400, "bad_import", fmt::format("line {}: {}", line, message)};
}

const json::value& member(const json::object& object, const char* name, std::size_t line) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) refuse(line, fmt::format("{} is missing", name));
  return *value;
}

std::string text_of(const json::object& object, const char* name, std::size_t line,
                    std::size_t longest) {
  const json::string* text = member(object, name, line).if_string();
  if (text == nullptr || text->empty() || text->size() > longest) {
    refuse(line, fmt::format("{} must be a string of 1 to {} bytes", name, longest));
  }
  return {text->data(), text->size()};
}

Row row_of(const json::value& value, std::size_t line) {
  const json::array* numbers = value.if_array();
  if (numbers == nullptr) refuse(line, "a row must be an array of whole numbers");
  if (numbers->size() > kMostNumbers) {
    refuse(line, fmt::format("a row has at most {} numbers", kMostNumbers));
  }
  Row row;
  std::size_t place = 0;
  for (const json::value& number : *numbers) {
    const json::string* text = number.if_string();
    const std::int64_t* whole = number.if_int64();
    const auto exact = whole != nullptr  ? std::optional<Fixed>(*whole)
                       : text != nullptr ? parse_fixed({text->data(), text->size()})
                                         : std::nullopt;
    if (!exact) refuse(line, "a row must be an array of whole numbers below 2^100");
    row.append(place++, *exact);
  }
  return row;
}

Teacher::Import query_of(const json::object& object, std::size_t line, std::size_t longest) {
  Teacher::Import result;
  result.query = text_of(object, "query", line, longest);
  const std::int64_t* rounds = member(object, "rounds", line).if_int64();
  if (rounds == nullptr || *rounds < 0 || *rounds > kMostRounds) {
    refuse(line, fmt::format("rounds must be a whole number from 0 to {}", kMostRounds));
  }
  result.delta.rounds = *rounds;
  const json::array* positions = member(object, "positions", line).if_array();
  if (positions == nullptr || positions->size() > kMostPositions) {
    refuse(line, fmt::format("positions must be an array of at most {}", kMostPositions));
  }
  for (const json::value& row : *positions) result.delta.positions.push_back(row_of(row, line));
  const json::object* items = member(object, "items", line).if_object();
  if (items == nullptr) refuse(line, "items must be an object");
  for (const auto& item : *items) {
    if (item.key().empty() || item.key().size() > longest) {
      refuse(line, fmt::format("an item's id must have 1 to {} bytes", longest));
    }
    result.delta.items[std::string(item.key())].add(row_of(item.value(), line), 1);
  }
  return result;
}

Model model_of(const json::object& object, std::size_t line, const Limits& limits) {
  const std::size_t longest = limits.id;
  Model model;
  model.name = text_of(object, "model", line, longest);
  const std::string policy = text_of(object, "policy", line, longest);
  const std::int64_t* k = member(object, "k", line).if_int64();
  if (k == nullptr || *k < 1) refuse(line, "k must be a whole number of at least 1");
  model.k = static_cast<std::size_t>(*k);
  if (model.k > limits.candidates) refuse(line, k_too_large(model.k, limits));
  const auto close_after = parse_duration(text_of(object, "close_after", line, longest));
  if (!close_after) refuse(line, "close_after must be " + duration_demand());
  // Exports of before did not say whose it is.
  const bool own = object.if_contains("close_after_of") == nullptr ||
                   text_of(object, "close_after_of", line, longest) != kOfTheService;
  if (own) model.close_after = *close_after;
  model.shadow = text_of(object, "mode", line, longest) == "shadow";
  try {
    set_policy(model, policy);
    check_model(model);
  } catch (const InputError& error) {
    refuse(line, error.what());
  }
  return model;
}

json::object parse_line(std::string_view text, std::size_t line) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = 8;
  json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  if (error) refuse(line, fmt::format("not JSON: {}", error.message()));
  if (!value.is_object()) refuse(line, "not an object");
  return std::move(value.get_object());
}

std::int64_t version_of(const json::object& header, std::size_t line) {
  const json::value& version = member(header, "version", line);
  const bool known =
      version.is_int64() && version.get_int64() >= 1 && version.get_int64() <= kVersion;
  if (!known) refuse(line, fmt::format("version is not 1 to {}", kVersion));
  return version.get_int64();
}

bool is_export(std::string_view first) {
  json::error_code error;
  const json::value value = json::parse({first.data(), first.size()}, error);
  const json::object* object = error ? nullptr : value.if_object();
  const json::value* format = object == nullptr ? nullptr : object->if_contains("format");
  return format != nullptr && format->is_string() && *format == json::string(kFormat);
}

}  // namespace

Exporter::Exporter(std::shared_ptr<StoreReader> store, std::vector<Model> models)
    : store_(std::move(store)), models_(std::move(models)) {}

bool Exporter::more(std::string& out) {
  if (!begun_) {
    begun_ = true;
    out += fmt::format("{{\"format\":\"{}\",\"version\":{}}}\n", kFormat, kVersion);
    for (const Model& model : models_) {
      append_model(out, model);
      out += '\n';
    }
  }
  while (model_ < models_.size() && out.size() < kTransferPiece) {
    const Model& model = models_[model_];
    const auto names = store_->queries(model.id, after_, 16);
    for (const auto& query : names) {
      QueryState state;
      if (store_->load_state({model.id, query.name}, state)) {
        append_query(out, model.name, query.name, state);
        ++queries_;
      }
      after_ = query.name;
    }
    if (!names.empty()) continue;
    ++model_;
    after_.clear();
  }
  if (model_ < models_.size()) return true;
  out += fmt::format("{{\"end\":true,\"queries\":{}}}\n", queries_);
  return false;
}

std::string place_of(const ImportBatch::Query& query) {
  if (query.line == 0) return fmt::format("query {}: ", quote(query.sums.query));
  return fmt::format("line {}: ", query.line);
}

ImportBatch parse_import(std::string_view body, const std::string& model, const Limits& limits) {
  const std::size_t longest_id = limits.id;
  const std::size_t first = std::min(body.find('\n'), body.size());
  if (!is_export(body.substr(0, first))) return warm_start(body, model, longest_id);
  ImportBatch batch;
  std::size_t line = 0;
  bool whole = false;
  bool ended = false;
  std::set<std::pair<std::string, std::string>> seen;
  while (!body.empty()) {
    ++line;
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::string_view text = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (text.find_first_not_of(" \r\t") == std::string_view::npos) continue;
    const json::object object = parse_line(text, line);
    if (ended) refuse(line, "there is more after the last line: import one export at a time");
    if (line == 1) {
      whole = version_of(object, line) == 1;
    } else if (object.if_contains("end") != nullptr) {
      const json::value& queries = member(object, "queries", line);
      ended = object.at("end") == json::value(true);
      if (!ended) refuse(line, "end is not true");
      whole = queries.is_int64() &&
              queries.get_int64() == static_cast<std::int64_t>(batch.queries.size());
      if (!whole) refuse(line, fmt::format("there are {} queries above", batch.queries.size()));
    } else if (object.if_contains("query") == nullptr) {
      batch.models.push_back({model_of(object, line, limits), line});
    } else {
      const auto& query =
          batch.queries.emplace_back(ImportBatch::Query{text_of(object, "model", line, longest_id),
                                                        line,
                                                        query_of(object, line, longest_id),
                                                        {}});
      if (!seen.emplace(query.model, query.sums.query).second) {
        refuse(line, "the query occurs twice");
      }
    }
  }
  if (!whole) refuse(line, "the last line of the export is missing: it was cut off");
  return batch;
}

}  // namespace dcmrank::service

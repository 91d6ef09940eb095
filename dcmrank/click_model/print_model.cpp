#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/click_model/model_file.h"

namespace dcmrank {
namespace {

using nlohmann::ordered_json;

std::string text(const std::string& string) { return ordered_json(string).dump(); }

// Whole numbers without a point, others so that they read back the same.
std::string number(double value) {
  if (value == static_cast<double>(static_cast<std::int64_t>(value))) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

template <class List>
std::string list(const List& values) {
  return ordered_json(values).dump();
}

void print_item(const FittedItem& item, bool satisfaction, std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "        {{\"item\": {}, \"attraction\": {}, \"shown\": {}, \"clicked\": {}",
                 text(item.item), item.attraction, number(item.shown), number(item.clicked));
  if (satisfaction) fmt::format_to(end, ", \"satisfaction\": {}", item.satisfaction);
  fmt::format_to(end, ", \"impressions\": {}}}", number(item.impressions));
}

void print_query(const FittedQuery& query, bool satisfaction, std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "    {{\"query\": {}, \"impressions\": {},\n      \"items\": [",
                 text(query.query), number(query.impressions));
  const char* separator = "\n";
  for (const FittedItem& item : query.items) {
    out += separator;
    print_item(item, satisfaction, out);
    separator = ",\n";
  }
  out += "\n      ]";
  if (!query.termination.empty()) {
    fmt::format_to(end, ",\n      \"termination\": {},\n      \"unidentified\": {}",
                   list(query.termination), list(query.unidentified));
  }
  out += "}";
}

ordered_json em_to_json(const EmTrace& em) {
  return {{"iterations", em.iterations()},
          {"converged", em.converged},
          {"tolerance", em.tolerance},
          {"log_likelihood", em.log_likelihood},
          {"objective", em.objective}};
}

}  // namespace

std::string print_model(const FittedModel& model) {
  std::string out = "{\n";
  const auto member = [&](const char* name, const std::string& value) {
    fmt::format_to(std::back_inserter(out), "  \"{}\": {},\n", name, value);
  };
  member("format", "\"dcmrank.model\"");
  member("version", "1");
  member("model", text(model.model));
  member("method", text(model.method));
  member("positions", fmt::format("{}", model.positions));
  member("prior", fmt::format("[{},{}]", model.prior.successes, model.prior.failures));
  if (!model.termination.empty()) {
    member("termination", list(model.termination));
    member("unidentified", list(model.unidentified));
  }
  if (!model.examination.empty()) member("examination", list(model.examination));
  if (!model.em.objective.empty()) member("em", em_to_json(model.em).dump());
  member("log", log_to_json(model.log).dump());
  out += "  \"queries\": [";
  const char* separator = "\n";
  for (const FittedQuery& query : model.queries) {
    out += separator;
    print_query(query, model.model == "sdbn", out);
    separator = ",\n";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace dcmrank

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/model_file/list_json.h"
#include "dcmrank/model_file/model_file.h"

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

void print_item(const ClickModel& click_model, const FittedItem& item, std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "        {{\"item\": {}, \"attraction\": {}, \"shown\": {}, \"clicked\": {}",
                 text(item.item), item.attraction, number(item.shown), number(item.clicked));
  if (item.interval) {
    fmt::format_to(end, ", \"interval\": [{}, {}]", item.interval->low, item.interval->high);
  }
  for (std::size_t p = 0; p < click_model.items.size(); ++p) {
    fmt::format_to(end, ", \"{}\": {}", click_model.items[p], item.parameters.at(p));
  }
  fmt::format_to(end, ", \"impressions\": {}", number(item.impressions));
  if (!item.unidentified.empty()) {
    fmt::format_to(end, ", \"unidentified\": {}", ordered_json(item.unidentified).dump());
  }
  out += "}";
}

// Hands over the name and the text of every member that the lists are.
template <class Member>
void print_lists(const ClickModel& click_model, const FittedLists& lists, Member member) {
  for (const ListParameter& parameter : click_model.lists) {
    const FittedList& list = find_list(lists, parameter.name);
    if (list.values.empty()) continue;
    member(parameter.name, list_to_json(parameter, list.values).dump());
    if (!parameter.unidentified.empty()) {
      member(parameter.unidentified, entries_to_json(parameter, list.unidentified).dump());
    }
  }
}

void print_query(const ClickModel& click_model, const FittedQuery& query, std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "    {{\"query\": {}, \"impressions\": {},\n      \"items\": [",
                 text(query.query), number(query.impressions));
  const char* separator = "\n";
  for (const FittedItem& item : query.items) {
    out += separator;
    print_item(click_model, item, out);
    separator = ",\n";
  }
  out += "\n      ]";
  print_lists(click_model, query.lists, [&](const std::string& name, const std::string& value) {
    fmt::format_to(end, ",\n      \"{}\": {}", name, value);
  });
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

std::string print_model_begin(const FittedModel& head) {
  const ClickModel& declared = click_model(head.model, "\"model\"");
  std::string out = "{\n";
  const auto member = [&](const std::string& name, const std::string& value) {
    fmt::format_to(std::back_inserter(out), "  \"{}\": {},\n", name, value);
  };
  member("format", "\"dcmrank.model\"");
  member("version", "1");
  member("model", text(head.model));
  member("method", text(head.method));
  member("positions", fmt::format("{}", head.positions));
  member("prior", fmt::format("[{},{}]", head.prior.successes, head.prior.failures));
  print_lists(declared, head.lists, member);
  if (!head.em.objective.empty()) member("em", em_to_json(head.em).dump());
  member("log", log_to_json(head.log).dump());
  return out + "  \"queries\": [";
}

void print_model_query(const ClickModel& model, const FittedQuery& query, bool first,
                       std::string& out) {
  out += first ? "\n" : ",\n";
  print_query(model, query, out);
}

std::string print_model_head(const FittedModel& head) {
  return print_model_begin(head) + std::string(kModelEnd);
}

std::string print_model(const FittedModel& model) {
  const ClickModel& declared = click_model(model.model, "\"model\"");
  std::string out = print_model_begin(model);
  bool first = true;
  for (const FittedQuery& query : model.queries) {
    print_model_query(declared, query, first, out);
    first = false;
  }
  return out.append(kModelEnd);
}

}  // namespace dcmrank

#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/csv.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/attraction_interval.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/inspection/inspection.h"
#include "dcmrank/log_command/commands.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/list_json.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/model_file/stand_ins.h"
#include "dcmrank/prediction/parameters.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/plot_options.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

constexpr std::uint64_t kMostShown = 1'000'000'000;

struct InspectArguments {
  std::string model;
  std::string query;
  std::string top = "5";
  std::string items = "10";
  PlotArguments plot;
  std::string json;
  std::string csv;
};

// What there is to show: of a compact model no other queries are read.
struct Inspected {
  FittedModel model;          // with the queries to show alone
  std::uint64_t queries = 0;  // of the whole model
};

void keep_most_frequent(FittedModel& model, std::size_t top) {
  std::stable_sort(
      model.queries.begin(), model.queries.end(),
      [](const FittedQuery& a, const FittedQuery& b) { return a.impressions > b.impressions; });
  model.queries.resize(std::min(model.queries.size(), top));
}

Inspected read_inspected(const InspectArguments& arguments, std::size_t top) {
  OpenModel opened(arguments.model);
  Inspected inspected{std::move(opened.model), 0};
  FittedModel& model = inspected.model;
  inspected.queries = opened.compact ? opened.compact->queries() : model.queries.size();
  if (!arguments.query.empty()) {
    if (opened.compact) model = read_model(arguments.model, arguments.query);
    FittedQuery found = find_query(model, arguments.query, arguments.model);
    model.queries.clear();
    model.queries.push_back(std::move(found));
  } else if (opened.compact) {
    model.queries = opened.compact->first(top);  // they are in this order
  } else {
    keep_most_frequent(model, top);
  }
  return inspected;
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format(" {:.3f}", value);
  return text;
}

// A triangle has a line for each position.
std::string rows_text(const std::vector<double>& values, const char* begin) {
  std::string text = " by the distance to the last click, last without a click above";
  std::size_t length = 1;
  for (std::size_t first = 0; first + length <= values.size(); first += length++) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(first);
    text += fmt::format("\n{}  position {:2}:{}", begin, length,
                        numbers({row, row + static_cast<std::ptrdiff_t>(length)}));
  }
  return text;
}

std::string lists_text(const Shown& shown, const FittedLists& lists, const char* begin,
                       const char* end) {
  std::string text;
  for (const ListParameter& parameter : shown.kind->lists) {
    const FittedList& list = find_list(lists, parameter.name);
    if (list.values.empty()) continue;
    text += fmt::format("{}{}{}{}\n", begin, parameter.name,
                        parameter.scope == Scope::kPerQuery ? end : ":",
                        parameter.shape == ListShape::kTriangle ? rows_text(list.values, begin)
                                                                : numbers(list.values));
  }
  return text;
}

// Which entries are not what the log says.
std::string unidentified_text(const ListParameter& parameter, const FittedList& list,
                              const char* begin) {
  if (list.unidentified.empty()) return "";
  return fmt::format("{}not identified: {}\n", begin,
                     named_entries_text(parameter, list.unidentified, list.values.size()));
}

bool is_identified(const FittedItem& item, const std::string& name) {
  return std::ranges::find(item.unidentified, name) == item.unidentified.end();
}

// A probability of an item; with a question mark where the log does not tell it.
std::string probability_cell(const FittedItem& item, const std::string& name, double p) {
  return fmt::format("{:.4f}{}", p, is_identified(item, name) ? "" : "?");
}

bool has_interval(const Shown& shown, const FittedItem& item) {
  return attraction_interval(*shown.model, item).has_value();
}

// Intervals have columns where one of the query's items has one, whichever of them are shown.
std::vector<std::vector<std::string>> item_rows(const Shown& shown, const FittedQuery& query,
                                                std::span<const FittedItem> items) {
  const bool intervals =
      std::any_of(query.items.begin(), query.items.end(),
                  [&](const FittedItem& item) { return has_interval(shown, item); });
  std::vector<std::vector<std::string>> rows{{"  item", "attraction"}};
  if (intervals) rows.front().insert(rows.front().end(), {"95 % from", "to"});
  rows.front().insert(rows.front().end(), shown.kind->items.begin(), shown.kind->items.end());
  rows.front().insert(rows.front().end(), {"examined", "clicked", "impressions"});
  for (const FittedItem& item : items) {
    std::vector<std::string> row{"  " + item.item,
                                 probability_cell(item, "attraction", item.attraction)};
    const auto interval = attraction_interval(*shown.model, item);
    if (intervals) {
      row.push_back(interval ? fmt::format("{:.4f}", interval->low) : "-");
      row.push_back(interval ? fmt::format("{:.4f}", interval->high) : "-");
    }
    for (std::size_t p = 0; p < shown.kind->items.size(); ++p) {
      row.push_back(probability_cell(item, shown.kind->items[p], item.parameters[p]));
    }
    row.push_back(fmt::format("{:.0f}", item.shown));
    row.push_back(fmt::format("{:.0f}", item.clicked));
    row.push_back(fmt::format("{:.0f}", item.impressions));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string query_text(const Shown& shown, const FittedQuery& query, std::size_t most) {
  const auto items = most_shown(query, most);
  const std::string cut =
      items.size() == query.items.size()
          ? ""
          : fmt::format(", the {} most shown (--items shows more)", items.size());
  std::string text =
      fmt::format("query {}: {}, {}{}\n{}{}", query.query,
                  how_many(static_cast<std::uint64_t>(query.impressions), "impression"),
                  how_many(query.items.size(), "item"), cut, table(item_rows(shown, query, items)),
                  lists_text(shown, query.lists, "  ", ""));
  for (const ListParameter& parameter : shown.kind->lists) {
    text += unidentified_text(parameter, find_list(query.lists, parameter.name), "  ");
  }
  if (std::any_of(items.begin(), items.end(),
                  [](const FittedItem& item) { return !item.unidentified.empty(); })) {
    text += "  ?: not identified by the log\n";
  }
  return text;
}

// The queries of the log that the model has not are among its impressions.
std::string log_text(const LogReport& log) {
  if (log.impressions == 0) return "";
  return fmt::format(", fitted to a log of {}", how_many(log.impressions, "impression"));
}

// What items without an interval lack, of those that are shown.
struct Lacking {
  bool some = false;
  bool attraction_known = false;  // but none of the other two
  bool marked = false;
  bool certain = false;  // 0 or 1
};

Lacking lacking(const Shown& shown, std::size_t most) {
  Lacking result;
  for (const FittedQuery& query : shown.model->queries) {
    for (const FittedItem& item : most_shown(query, most)) {
      if (has_interval(shown, item)) continue;
      result.some = true;
      const bool certain = item.attraction <= 0 || item.attraction >= 1;
      const bool marked = !is_identified(item, "attraction");
      result.certain = result.certain || certain;
      result.marked = result.marked || (marked && !certain);
      result.attraction_known = result.attraction_known || (!marked && !certain);
    }
  }
  return result;
}

// Why an attraction that is identified may have no interval all the same.
const char* untold_reason(const FittedModel& model) {
  if (!model.em.objective.empty() && !model.em.converged) return "EM had not converged";
  if (model.lists.empty()) {
    return "how sure it is cannot be told: others of the query's parameters are exactly 0 or 1, or "
           "they are too many";
  }
  return "the prior would decide how wide it is, since what all items share is known too little "
         "(which matters most for items that were seen often)";
}

// Why items have none: it is not that they are hardly known.
std::string intervals_text(const Shown& shown, std::size_t most) {
  const Lacking lack = lacking(shown, most);
  if (!lack.some) return "";
  if (shown.model->method == name_of(Method::kCount)) {
    return "\nNo intervals: counts up to the last click are biased (docs/fitting.md#intervals)\n";
  }
  if (shown.model->method != name_of(Method::kEm)) return "";
  std::vector<std::string> reasons;
  if (lack.marked) reasons.emplace_back("the log does not identify the attraction (?)");
  if (lack.certain) reasons.emplace_back("it is exactly 0 or 1");
  if (lack.attraction_known) reasons.emplace_back(untold_reason(*shown.model));
  return "\n" +
         wrapped(fmt::format("An attraction has no interval where {} (docs/fitting.md#intervals).",
                             fmt::join(reasons, ", or where ")),
                 0) +
         "\n";
}

std::string to_text(const Shown& shown, std::size_t items) {
  const FittedModel& model = *shown.model;
  std::string text = fmt::format("{} by {}: {}, {}{}\n", model.model, model.method,
                                 how_many(shown.queries, "query", "queries"),
                                 how_many(model.positions, "position"), log_text(model.log));
  text += lists_text(shown, model.lists, "", ", shared:");
  for (const ListParameter& parameter : shown.kind->lists) {
    text += unidentified_text(parameter, find_list(model.lists, parameter.name), "");
  }
  for (const FittedQuery& query : model.queries) text += "\n" + query_text(shown, query, items);
  return text + intervals_text(shown, items);
}

// A table that is not whole says so: whoever opens it elsewhere would not know.
std::string cut_note(const Shown& shown, std::size_t items) {
  const auto& queries = shown.model->queries;
  const bool cut = std::any_of(queries.begin(), queries.end(), [&](const FittedQuery& query) {
    return query.items.size() > items;
  });
  if (!cut && queries.size() >= shown.queries) return {};
  return fmt::format("--csv has {} of {} queries, {}: for more, raise --top and --items",
                     queries.size(), shown.queries,
                     cut ? fmt::format("with up to {} items each", items) : "with all their items");
}

void run_inspect(const InspectArguments& arguments) {
  claim_input(arguments.model);
  const std::size_t items = parse_count("--items", arguments.items, kMostShown);
  const Inspected inspected =
      read_inspected(arguments, parse_count("--top", arguments.top, kMostShown));
  const FittedModel& model = inspected.model;
  print_note(unfinished_note(model, arguments.model));
  const Shown shown{&model, &click_model(model.model, arguments.model), inspected.queries};
  (void)drawable(arguments.plot);
  Output json(arguments.json);
  Output csv(arguments.csv);
  if (json.to_stdout() && csv.to_stdout()) throw InputError("--json and --csv are both stdout");
  Pictures pictures(arguments.plot);
  if (pictures) {
    print_note(undrawn_note(shown));
    pictures.draw(inspection_figure(shown, items));
  }
  if (json) json.write(print_json(inspection_json(shown, items)));
  if (csv) {
    csv.write(to_csv(inspection_rows(shown, items)));
    if (arguments.query.empty()) print_note(cut_note(shown, items));
  }
  if (!json.to_stdout() && !csv.to_stdout()) fmt::print("{}", to_text(shown, items));
}

}  // namespace

void add_inspect(CLI::App& app, const Context& /*context*/) {
  CLI::App* command = app.add_subcommand("inspect", "Show the parameters of a fitted model");
  const auto arguments = std::make_shared<InspectArguments>();
  command->add_option("MODEL", arguments->model, "A model written by 'dcmrank fit'")
      ->type_name("FILE")
      ->required();
  command->add_option("--query", arguments->query, "Show only this query")->type_name("ID");
  command->add_option("--top", arguments->top, "Show the N most frequent queries")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--items", arguments->items, "Show the N most shown items of each query")
      ->type_name("N")
      ->capture_default_str();
  add_plot_options(
      *command, arguments->plot,
      "the probability at each position (for a DCM, the termination), or, of a model that "
      "has none, the attractions of the items of the first query");
  add_json_option(*command, arguments->json);
  command
      ->add_option("--csv", arguments->csv,
                   "Write the same as CSV, one row per parameter; - is stdout")
      ->type_name("FILE");
  command->footer(
      "Example:\n  dcmrank inspect model.json --top 3 --plot termination.svg\n"
      "  dcmrank inspect model.json --query shoes --items 1e9 --csv shoes.csv");
  command->callback([arguments] { run_inspect(*arguments); });
}

}  // namespace dcmrank::command

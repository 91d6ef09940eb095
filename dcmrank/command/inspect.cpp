#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/click_model/model_file.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/command/options.h"
#include "dcmrank/command/table.h"
#include "dcmrank/fit/interval.h"
#include "dcmrank/plot/figure.h"

namespace dcmrank::command {
namespace {

constexpr std::uint64_t kMost = 1'000'000'000;

struct Arguments {
  std::string model;
  std::string top = "5";
  std::string items = "10";
  std::string plot;
  std::string json;
};

const std::vector<double>& termination_of(const FittedModel& model, const FittedQuery& query) {
  return query.termination.empty() ? model.termination : query.termination;
}

std::vector<const FittedQuery*> most_frequent(const FittedModel& model, std::size_t top) {
  std::vector<const FittedQuery*> queries;
  for (const FittedQuery& query : model.queries) queries.push_back(&query);
  std::stable_sort(queries.begin(), queries.end(),
                   [](const auto* a, const auto* b) { return a->impressions > b->impressions; });
  queries.resize(std::min(queries.size(), top));
  return queries;
}

// The file has them by decreasing impressions.
std::span<const FittedItem> most_shown(const FittedQuery& query, std::size_t most) {
  return std::span(query.items).first(std::min(query.items.size(), most));
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format(" {:.3f}", value);
  return text;
}

std::string query_text(const FittedQuery& query, std::size_t most) {
  std::vector<std::vector<std::string>> rows{
      {"  item", "attraction", "95 % from", "to", "shown", "clicked"}};
  for (const FittedItem& item : most_shown(query, most)) {
    const Interval interval = wilson_interval({item.shown, item.clicked});
    rows.push_back({"  " + item.item, fmt::format("{:.4f}", item.attraction),
                    fmt::format("{:.4f}", interval.low), fmt::format("{:.4f}", interval.high),
                    fmt::format("{:.0f}", item.shown), fmt::format("{:.0f}", item.clicked)});
  }
  std::string text = fmt::format("query {}: {:.0f} impressions, {} items\n{}", query.query,
                                 query.impressions, query.items.size(), table(rows));
  if (!query.termination.empty()) {
    text += fmt::format("  termination{}\n", numbers(query.termination));
  }
  if (!query.unidentified.empty()) {
    text += fmt::format("  not identified at position {}\n", fmt::join(query.unidentified, ", "));
  }
  return text;
}

nlohmann::ordered_json query_to_json(const FittedModel& model, const FittedQuery& query,
                                     std::size_t most) {
  auto items = nlohmann::ordered_json::array();
  for (const FittedItem& item : most_shown(query, most)) {
    const Interval interval = wilson_interval({item.shown, item.clicked});
    items.push_back({{"item", item.item},
                     {"attraction", item.attraction},
                     {"low", interval.low},
                     {"high", interval.high},
                     {"shown", item.shown},
                     {"clicked", item.clicked}});
  }
  return {{"query", query.query},
          {"impressions", query.impressions},
          {"items", std::move(items)},
          {"termination", termination_of(model, query)},
          {"unidentified", query.termination.empty() ? model.unidentified : query.unidentified}};
}

Series curve(const std::string& label, const std::vector<double>& termination) {
  Series series{label, {}, termination, {}};
  for (std::size_t k = 0; k < termination.size(); ++k) {
    series.x.push_back(static_cast<double>(k + 1));
  }
  return series;
}

// The paper's Fig. 1c: one curve a query; a single one where termination is shared.
Figure figure(const FittedModel& model, const std::vector<const FittedQuery*>& queries) {
  Figure figure{
      "Termination by position", "position", "termination probability", Axes::kLinear, {}};
  if (!model.termination.empty()) {
    figure.series.push_back(curve("all queries", model.termination));
    return figure;
  }
  for (const FittedQuery* query : queries) {
    figure.series.push_back(
        curve(fmt::format("{} ({:.0f})", query->query, query->impressions), query->termination));
  }
  return figure;
}

std::string to_text(const FittedModel& model, const std::vector<const FittedQuery*>& queries,
                    std::size_t items) {
  std::string text =
      fmt::format("{} by {}: {} queries, {} positions, {} impressions\n", model.model, model.method,
                  model.queries.size(), model.positions, model.log.impressions);
  if (!model.termination.empty()) {
    text += fmt::format("termination, shared:{}\n", numbers(model.termination));
  }
  if (!model.examination.empty())
    text += fmt::format("examination:{}\n", numbers(model.examination));
  for (const FittedQuery* query : queries) text += "\n" + query_text(*query, items);
  return text;
}

void run(const Arguments& arguments) {
  const FittedModel model = read_model(arguments.model);
  const std::size_t items = parse_count("--items", arguments.items, kMost);
  const auto queries = most_frequent(model, parse_count("--top", arguments.top, kMost));
  if (arguments.plot == "-") throw InputError("--plot cannot be written to stdout");
  if (!arguments.plot.empty() && model.model != "dcm") {
    throw InputError("--plot draws terminations, which only the model dcm has");
  }
  if (!arguments.plot.empty()) check_can_draw(arguments.plot);
  Output json(arguments.json);
  Output plot(arguments.plot);
  if (plot) {
    draw(figure(model, queries), plot.file().temporary());
    plot.file().commit();
  }
  if (json) {
    auto shown = nlohmann::ordered_json::array();
    for (const FittedQuery* query : queries) shown.push_back(query_to_json(model, *query, items));
    json.write(print_json({{"format", "dcmrank.inspection"},
                           {"version", 1},
                           {"model", model.model},
                           {"method", model.method},
                           {"queries", std::move(shown)}}));
  }
  if (!json.to_stdout()) fmt::print("{}", to_text(model, queries, items));
}

}  // namespace

void add_inspect(CLI::App& app, const Context& /*context*/) {
  CLI::App* command = app.add_subcommand("inspect", "Show what a fitted model holds");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("MODEL", arguments->model, "A model written by 'dcmrank fit'")
      ->type_name("FILE")
      ->required();
  command->add_option("--top", arguments->top, "The N most frequent queries")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--items", arguments->items, "The N most shown items of each")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--plot", arguments->plot, "Draw their terminations (.svg, .png or .pdf)")
      ->type_name("FILE");
  add_json_option(*command, arguments->json);
  command->footer("Example:\n  dcmrank inspect model.json --top 3 --plot termination.svg");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace dcmrank::command

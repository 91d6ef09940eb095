#include "dcmrank/traffic/traffic.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/service_command/subcommands.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/table.h"
#include "dcmrank/terminal/users_source.h"

namespace dcmrank::command {
namespace {

using std::chrono::milliseconds;

struct TrafficArguments {
  UsersSource users;
  std::vector<std::string> urls{"http://127.0.0.1:8080"};
  std::string key;
  std::string ca;
  std::string rate = "100";
  std::string duration = "10s";
  std::string delay = "50ms";
  std::string late_after = "1s";
  std::string close_after = "3s";
  std::string patience = "5s";
  std::string connections = "8";
  std::string batch = "10";
  std::string seed = "1";
  std::string duplicates = "0";
  std::string reordered = "0";
  std::string abandoned = "0";
  std::string late = "0";
  std::string name = "traffic";
  std::string policy = "recommended";
  std::string json;
};

milliseconds parse_time(const char* option, const std::string& text) {
  const auto time = parse_duration(text);
  if (!time) {
    throw InputError(fmt::format("{} is {}, not {}", option, quote(text), duration_demand()));
  }
  return milliseconds(*time);
}

double parse_share(const char* option, const std::string& text) {
  const auto share = parse_double(text);
  if (!share || !(*share >= 0 && *share <= 1)) {
    throw InputError(fmt::format("{} is {}, not a share from 0 to 1", option, quote(text)));
  }
  return *share;
}

double parse_rate(const std::string& text) {
  const auto rate = parse_double(text);
  if (!rate || !(*rate > 0 && *rate <= 1e6)) {
    throw InputError(
        fmt::format("--rate is {}, not a number above 0 and up to 1000000", quote(text)));
  }
  return *rate;
}

std::string read_key(const std::string& file) {
  if (file.empty()) return "";
  std::ifstream stream(file);
  std::string key;
  if (!std::getline(stream, key) || key.empty()) {
    throw InputError(fmt::format("--key {}: the file holds no key", quote(file)));
  }
  return key;
}

std::vector<traffic::Query> read_queries(const UsersSource& users) {
  const FittedModel model = read_users(users, "; the service's model is named by --name");
  const std::string& source = users.model.empty() ? users.problem : users.model;
  std::vector<traffic::Query> queries;
  for (const FittedQuery& fitted : model.queries) {
    if (fitted.items.size() < 2) continue;  // nothing to rank
    traffic::Query& query = queries.emplace_back();
    query.name = fitted.query;
    query.dcm = dcm_of(model, fitted.query, source);
    query.weight = std::max(1.0, fitted.impressions);
    for (const FittedItem& item : fitted.items) query.items.push_back(item.item);
  }
  if (queries.empty()) {
    throw InputError(fmt::format("{}: no query has two items", quote(source)));
  }
  return queries;
}

traffic::TrafficOptions read_options(const TrafficArguments& arguments) {
  traffic::TrafficOptions options;
  bool tls = false;
  for (const std::string& url : arguments.urls) {
    options.urls.push_back(traffic::parse_url(url));
    tls = tls || options.urls.back().tls;
  }
  if (tls) options.tls = traffic::make_tls(arguments.ca);
  if (!tls && !arguments.ca.empty()) {
    throw InputError("--ca has no effect: --url is not https");
  }
  options.key = read_key(arguments.key);
  options.queries = read_queries(arguments.users);
  options.model = arguments.name;
  options.policy = arguments.policy;
  options.rate = parse_rate(arguments.rate);
  options.duration = parse_time("--duration", arguments.duration);
  options.delay = parse_time("--delay", arguments.delay);
  options.late_after = parse_time("--late-after", arguments.late_after);
  options.close_after = parse_time("--close-after", arguments.close_after);
  options.patience = parse_time("--patience", arguments.patience);
  options.connections = parse_count("--connections", arguments.connections, 10'000);
  options.batch = parse_count("--batch", arguments.batch, 10'000);
  options.seed = parse_seed("--seed", arguments.seed);
  options.faults.duplicates = parse_share("--duplicates", arguments.duplicates);
  options.faults.reordered = parse_share("--reordered", arguments.reordered);
  options.faults.abandoned = parse_share("--abandoned", arguments.abandoned);
  options.faults.late = parse_share("--late", arguments.late);
  return options;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : "-";
}

// A client shows its next page once its calls are answered: where these take long, pages stay away
// though nobody is slow at ranking.
std::string unsent_text(const traffic::TrafficResult& result, std::size_t clients) {
  const auto& latencies = result.experience.latencies;
  const auto longest = [](const traffic::Latencies& times) { return times.longest(); };
  const auto slowest = static_cast<std::size_t>(std::ranges::max_element(latencies, {}, longest) -
                                                latencies.begin());
  return fmt::format(
      "{} more pages were due and never sent: all clients ({}) were waiting for answers, up to "
      "{:.0f} ms for "
      "{}. This says nothing of how fast lists are ranked. Lower --rate, or raise --connections\n",
      result.unsent, clients, latencies[slowest].longest(), traffic::kCallNames.at(slowest));
}

std::string summary(const traffic::TrafficResult& result, std::size_t clients) {
  const traffic::Experience& experience = result.experience;
  std::string out =
      fmt::format("{}: {} pages with {} clicks in {:.1f} s, {} never closed\n", result.policy,
                  result.pages, result.clicks, result.seconds, result.abandoned);
  if (result.unsent > 0) out += unsent_text(result, clients);
  out += '\n';
  std::vector<std::vector<std::string>> calls{
      {"call", "answers", "per second", "p50 ms", "p99 ms", "max ms"}};
  for (std::size_t n = 0; n < traffic::kCallNames.size(); ++n) {
    const traffic::Latencies& times = experience.latencies.at(n);
    if (times.count() == 0) continue;
    calls.push_back(
        {traffic::kCallNames.at(n), std::to_string(times.count()),
         fmt::format("{:.0f}", static_cast<double>(times.count()) / result.call_seconds.at(n)),
         fmt::format("{:.2f}", times.quantile(.5)), fmt::format("{:.2f}", times.quantile(.99)),
         fmt::format("{:.2f}", times.longest())});
  }
  out += table(calls) + "\nanswers:";
  for (const auto& [status, count] : experience.statuses) {
    out += fmt::format(" {} x {},", status, count);
  }
  out += fmt::format(" none x {}\nevents:", experience.broken);
  for (const auto& [word, count] : experience.results) out += fmt::format(" {} {}", count, word);
  out += "\n\n";
  std::vector<std::vector<std::string>> shares{{"seconds", "shown", "learned"}};
  for (const traffic::SharePoint& point : result.shares) {
    shares.push_back(
        {fmt::format("{:.1f}", point.seconds), percent(point.shown), percent(point.learned)});
  }
  out += table(shares) + "(expected reward, as a share of the optimal one)\n\n";
  if (result.lost > 0) out += fmt::format("{} pages were lost in a crash\n", result.lost);
  if (result.others > 0) out += fmt::format("{} events came from others\n", result.others);
  const char* extent = result.recount.contexts   ? "pages, clicks, and every number, recounted here"
                       : !result.recount.sums    ? "pages, clicks and rounds"
                       : result.recount.counting ? "pages, clicks, T, S and N, recounted here"
                                                 : "pages, clicks, T and S as contributed, N";
  for (const std::string& what : result.disagreements.first) out += what + "\n";
  return out + fmt::format("checked: {}: {} disagreements\n", extent, result.disagreements.count);
}

void run_traffic(const TrafficArguments& arguments, const Context& context) {
  const traffic::TrafficOptions options = read_options(arguments);
  Output json(arguments.json);
  traffic::TrafficResult result;
  {
    const double pages = options.rate * std::chrono::duration<double>(options.duration).count();
    ProgressBar bar("traffic", static_cast<std::uint64_t>(std::ceil(pages)));
    result = traffic::run_traffic(options, context.stop, bar.done());
  }
  if (json) json.write(print_json(traffic::to_json(options, result)));
  if (!json.to_stdout()) fmt::print("{}", summary(result, options.connections));
  if (result.disagreements.count > 0) {
    throw std::runtime_error(
        fmt::format("the service and its users disagree: {}", result.disagreements.first.front()));
  }
}

}  // namespace

void add_traffic(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand("traffic",
                                         "Send simulated users to a running service and check what "
                                         "it learned from them; they click by "
                                         "a DCM, so that a model file must be one");
  const auto arguments = std::make_shared<TrafficArguments>();
  add_users_options(*command, arguments->users);
  const auto option = [&](const char* name, std::string& value, const char* help,
                          const char* type) {
    return command->add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  command
      ->add_option(
          "--url", arguments->urls,
          "Where the service listens: http://…, https://… or unix:PATH; with several servers that "
          "share a store, give each once: events are then reported to a different server "
          "than the one that ranked")
      ->type_name("URL")
      ->take_all()
      ->capture_default_str();
  command
      ->add_option("--key", arguments->key,
                   "File with a key that has the scopes rank, feedback and admin")
      ->type_name("FILE");
  command
      ->add_option("--ca", arguments->ca,
                   "File of trusted certificates (PEM); without it, the system's")
      ->type_name("FILE");
  option("--rate", arguments->rate, "Pages per second", "R");
  option("--duration", arguments->duration, "How long to show pages", "TIME");
  option("--connections", arguments->connections,
         "Clients, with one connection each: one that waits for an answer shows no page meanwhile",
         "N");
  option("--batch", arguments->batch, "Maximum number of events in one request", "N");
  option("--delay", arguments->delay, "Mean time between two actions of a user", "TIME");
  option("--duplicates", arguments->duplicates, "Share of the events that are sent twice", "X");
  option("--reordered", arguments->reordered,
         "Share of the pages whose events arrive in random order", "X");
  option("--abandoned", arguments->abandoned,
         "Share of the pages that are never closed and time out", "X");
  option("--late", arguments->late,
         "Share of the pages with clicks whose last click comes after closing", "X");
  option("--late-after", arguments->late_after, "How long after closing a late click comes",
         "TIME");
  option("--close-after", arguments->close_after,
         "How long the service waits without events before it closes a page", "TIME");
  option("--patience", arguments->patience,
         "How long to keep trying while the service does not answer", "TIME");
  manual::offer(option("--policy", arguments->policy,
                       "Policy of the service's model ('dcmrank policies' lists them)", "NAME"),
                policy_names());
  option("--name", arguments->name, "Name of the service's model, which is created or changed",
         "NAME");
  option("--seed", arguments->seed, "The same seed gives the same users", "N");
  add_json_option(*command, arguments->json);
  command->footer(
      "Example:\n  dcmrank traffic --problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 \\\n"
      "    --url http://127.0.0.1:8080 --rate 500 --duration 20s --duplicates 0.05 --late 0.05");
  command->callback([arguments, context] { run_traffic(*arguments, context); });
}

}  // namespace dcmrank::command

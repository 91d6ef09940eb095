#include "dcmrank/service/verify.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/libpq/address.h"
#include "dcmrank/postgres/postgres_store.h"
#include "dcmrank/service_command/store_option.h"
#include "dcmrank/service_command/subcommands.h"
#include "dcmrank/store/sqlite_store.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {
namespace {

struct VerifyArguments {
  std::string data = "dcmrank-data";
  std::string store;
  std::string json;
};

void run_verify(const VerifyArguments& arguments) {
  Output json(arguments.json);
  const auto store = arguments.store.empty() ? service::open_sqlite_reader(arguments.data)
                                             : service::open_postgres_reader(arguments.store);
  const service::VerifyReport report = service::verify(*store);
  if (json) {
    json.write(print_json(nlohmann::ordered_json{{"queries", report.queries},
                                                 {"items", report.items},
                                                 {"impressions", report.impressions},
                                                 {"open", report.open},
                                                 {"faults", report.faults},
                                                 {"first_faults", report.first_faults},
                                                 {"unknown", report.unknown},
                                                 {"unfinished", report.unfinished},
                                                 {"first_unfinished", report.first_unfinished}}));
  }
  if (!json.to_stdout()) {
    fmt::print("{}, {}, {} ({} open): {}\n", how_many(report.queries, "query", "queries"),
               how_many(report.items, "item"), how_many(report.impressions, "impression"),
               report.open, how_many(report.faults, "fault"));
    for (const std::string& fault : report.first_faults) fmt::print("  {}\n", fault);
    if (!report.unknown.empty()) {
      fmt::print("{} could be recounted, but not what their clicks taught\n",
                 how_many(report.unknown.size(), "model"));
    }
    for (const std::string& line : report.unknown) fmt::print("  {}\n", line);
    if (report.unfinished > 0) fmt::print("{} unfinished, which is no fault\n", report.unfinished);
    for (const std::string& line : report.first_unfinished) fmt::print("  {}\n", line);
  }
  const std::string place =
      arguments.store.empty() ? arguments.data : service::without_password(arguments.store);
  if (report.faults > 0) {
    throw std::runtime_error(fmt::format("{}: {} faults", place, report.faults));
  }
  if (!report.unknown.empty()) {
    throw std::runtime_error(
        fmt::format("{}: no faults, but {} of a policy that this program does "
                    "not know could not be checked in full",
                    place, how_many(report.unknown.size(), "model")));
  }
}

}  // namespace

void add_verify(CLI::App& app, const Context& /*context*/) {
  CLI::App* command = app.add_subcommand(
      "verify", "Check the database of a service: recount what it learned from what it recorded");
  const auto arguments = std::make_shared<VerifyArguments>();
  add_data_option(*command, arguments->data);
  add_store_option(*command, arguments->store);
  add_json_option(*command, arguments->json);
  command->footer(
      "Examples:\n  dcmrank verify --data dcmrank-data\n"
      "  dcmrank verify --store postgresql://dcmrank@localhost/dcmrank");
  command->callback([arguments] { run_verify(*arguments); });
}

}  // namespace dcmrank::command

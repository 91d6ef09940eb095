#include "dcmrank/service/migrate.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/postgres/postgres_store.h"
#include "dcmrank/service_command/store_option.h"
#include "dcmrank/service_command/subcommands.h"
#include "dcmrank/store/sqlite_store.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {
namespace {

struct MigrateArguments {
  std::string from;
  std::string store;
};

void run_migrate(const MigrateArguments& arguments, const Context& context) {
  if (arguments.from.empty()) throw InputError("--from is empty");
  if (!std::filesystem::exists(std::filesystem::path(arguments.from) / "dcmrank.db")) {
    throw InputError(fmt::format("--from {}: there is no dcmrank.db", quote(arguments.from)));
  }
  const auto from = service::open_sqlite_store(arguments.from, "--from");
  const auto to = service::open_postgres_store(arguments.store, 2);
  const service::Moved moved = service::move_store(*from, *to, context.stop);
  fmt::print("{}, {}, {}, {}\n", how_many(moved.models, "model"),
             how_many(moved.queries, "query", "queries"), how_many(moved.impressions, "impression"),
             how_many(moved.events, "event"));
  if (moved.held > 0) {
    print_note(fmt::format("{} waiting for an impression not shown yet {} left behind",
                           how_many(moved.held, "event"), moved.held == 1 ? "was" : "were"));
  }
}

}  // namespace

void add_migrate(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand(
      "migrate", "Move what a service learned and recorded from a folder into PostgreSQL");
  const auto arguments = std::make_shared<MigrateArguments>();
  command
      ->add_option("--from", arguments->from,
                   "Folder of the database, which is left unchanged; stop its server first")
      ->type_name("DIR")
      ->required();
  add_store_option(*command, arguments->store)->required();
  command->footer(
      "Example:\n"
      "  dcmrank migrate --from dcmrank-data --store postgresql://dcmrank@localhost/dcmrank\n"
      "The PostgreSQL database must not hold any queries yet. All is moved, or nothing.");
  command->callback([arguments, context] { run_migrate(*arguments, context); });
}

}  // namespace dcmrank::command

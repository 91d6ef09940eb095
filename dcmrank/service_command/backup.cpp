#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/service_command/store_option.h"
#include "dcmrank/service_command/subcommands.h"
#include "dcmrank/store/sqlite_store.h"

namespace dcmrank::command {
namespace {

struct BackupArguments {
  std::string data = "dcmrank-data";
  std::string store;
  std::string out;
  bool force = false;
};

// The copy that is there may be the only good one.
void check_free(const BackupArguments& arguments) {
  // A link to nowhere is something, too.
  if (arguments.force || !std::filesystem::exists(std::filesystem::symlink_status(arguments.out))) {
    return;
  }
  throw InputError(fmt::format("{} already exists; --force replaces it", arguments.out));
}

}  // namespace

void add_backup(CLI::App& app, const Context& /*context*/) {
  CLI::App* command =
      app.add_subcommand("backup", "Copy the database of a service, which may be running");
  const auto arguments = std::make_shared<BackupArguments>();
  add_data_option(*command, arguments->data);
  add_store_option(*command, arguments->store)
      ->description("Is refused, with what to do instead: PostgreSQL is backed up by pg_dump");
  command
      ->add_option("--out", arguments->out,
                   "Write the copy to this file; it appears whole or not at all")
      ->type_name("FILE")
      ->required();
  command->add_flag("--force", arguments->force, "Replace the file if it exists");
  command->footer(
      "Example:\n"
      "  dcmrank backup --data dcmrank-data --out backup.db\n"
      "To restore, put the copy into an empty folder as dcmrank.db, and give it to the user that "
      "the "
      "service runs as (chown).");
  command->callback([arguments] {
    if (!arguments->store.empty()) {
      throw InputError(
          "PostgreSQL is backed up with its own programs: pg_dump --schema=dcmrank --format=custom "
          "--file=FILE URI, and pg_restore to restore it; or with a standby (docs/fleet.md)");
    }
    check_free(*arguments);
    service::backup_sqlite(arguments->data, arguments->out);
    fmt::print("{} is a copy of {}\n", arguments->out, arguments->data);
  });
}

}  // namespace dcmrank::command

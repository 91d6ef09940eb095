#include "dcmrank/service_command/store_option.h"

#include <string>

#include <CLI/CLI.hpp>

#include "dcmrank/postgres/postgres_store.h"

namespace dcmrank::command {

CLI::Option* add_data_option(CLI::App& command, std::string& data) {
  return command.add_option("--data", data, "Folder of the database; its server may be running")
      ->type_name("DIR")
      ->capture_default_str();
}

CLI::Option* add_store_option(CLI::App& command, std::string& store) {
  CLI::Option* option =
      command
          .add_option(
              "--store", store,
              "The PostgreSQL database that several servers share: postgresql://USER@HOST/NAME")
          ->type_name("URI")
          ->check([](const std::string& text) {
            return std::string(service::is_postgres(text)
                                   ? ""
                                   : "must be a URI such as postgresql://USER@HOST/NAME");
          });
  if (CLI::Option* data = command.get_option_no_throw("--data")) option->excludes(data);
  return option;
}

}  // namespace dcmrank::command

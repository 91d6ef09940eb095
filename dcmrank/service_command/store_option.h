#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dcmrank::command {

/// --data DIR, whose server may be running.
CLI::Option* add_data_option(CLI::App& command, std::string& data);

/// --store URI; where the command has --data, in its place.
CLI::Option* add_store_option(CLI::App& command, std::string& store);

}  // namespace dcmrank::command

#pragma once

#include <CLI/CLI.hpp>

#include "dcmrank/terminal/context.h"

namespace dcmrank::command {

/// Each adds one subcommand to the program; commands.cpp lists them.
void add_serve(CLI::App& app, const Context& context);
void add_verify(CLI::App& app, const Context& context);
void add_backup(CLI::App& app, const Context& context);
void add_migrate(CLI::App& app, const Context& context);
void add_traffic(CLI::App& app, const Context& context);

}  // namespace dcmrank::command

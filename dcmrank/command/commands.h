#pragma once

#include <CLI/CLI.hpp>

#include "dcmrank/command/run.h"
#include "dcmrank/terminal/context.h"

namespace dcmrank::command {

/// Each adds one subcommand to the program; its callback does the work and throws what goes wrong.
void add_simulate(CLI::App& app, const Context& context);
void add_merge(CLI::App& app, const Context& context);
void add_sweep(CLI::App& app, const Context& context);
void add_arena(CLI::App& app, const Context& context);
void add_bounds(CLI::App& app, const Context& context);
void add_reproduce(CLI::App& app, const Context& context);
void add_policies(CLI::App& app, const Context& context);

/// About the program: these know all commands that are there when they run.
void add_completion(CLI::App& app, const Context& context);
void add_man(CLI::App& app, const Context& context);
void add_cite(CLI::App& app, const Context& context);

}  // namespace dcmrank::command

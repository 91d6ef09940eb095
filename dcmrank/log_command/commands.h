#pragma once

#include <CLI/CLI.hpp>

#include "dcmrank/terminal/context.h"

namespace dcmrank::command {

/// Each adds one subcommand to the program, on logs or on what was fitted to them; its callback
/// does the work and throws what goes wrong.
void add_fit(CLI::App& app, const Context& context);
void add_count(CLI::App& app, const Context& context);
void add_choose(CLI::App& app, const Context& context);
void add_evaluate(CLI::App& app, const Context& context);
void add_generate(CLI::App& app, const Context& context);
void add_inspect(CLI::App& app, const Context& context);

}  // namespace dcmrank::command

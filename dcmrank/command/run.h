#pragma once

#include <span>

#include "dcmrank/base/same_version.h"

namespace CLI {
class App;
}

namespace dcmrank {
namespace command {

struct Context;

/// Adds one subcommand to the program.
using AddCommand = void (*)(CLI::App& app, const Context& context);

}  // namespace command

/// The whole `dcmrank` program: what main returns. Policies, kinds of user, click models and log
/// formats that were registered before are known to every subcommand. `more` are subcommands
/// besides its own: service_commands(), where the program is linked with the service, and those of
/// others.
int run_command(int argc, char** argv, std::span<const command::AddCommand> more = {});

}  // namespace dcmrank

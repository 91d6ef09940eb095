#pragma once

#include <span>

#include "dcmrank/command/commands.h"

namespace dcmrank::command {

/// serve, verify, backup, migrate and traffic, for run_command.
std::span<const AddCommand> service_commands();

}  // namespace dcmrank::command

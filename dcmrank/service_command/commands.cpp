#include "dcmrank/service_command/commands.h"

#include <array>

#include "dcmrank/service_command/subcommands.h"

namespace dcmrank::command {

std::span<const AddCommand> service_commands() {
  static constexpr std::array<AddCommand, 5> kCommands{add_serve, add_verify, add_backup,
                                                       add_migrate, add_traffic};
  return kCommands;
}

}  // namespace dcmrank::command

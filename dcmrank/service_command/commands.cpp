#include "dcmrank/service_command/commands.h"

#include <array>

namespace dcmrank::command {

void add_serve(CLI::App& app, const Context& context);
void add_verify(CLI::App& app, const Context& context);
void add_backup(CLI::App& app, const Context& context);
void add_migrate(CLI::App& app, const Context& context);
void add_traffic(CLI::App& app, const Context& context);

std::span<const AddCommand> service_commands() {
  static constexpr std::array<AddCommand, 5> kCommands{add_serve, add_verify, add_backup,
                                                       add_migrate, add_traffic};
  return kCommands;
}

}  // namespace dcmrank::command

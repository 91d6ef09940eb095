#include <dcmrank/command/run.h>
#include <dcmrank/service_command/commands.h>

// The same, with the commands of the service.
int main(int argc, char** argv) {
  return dcmrank::run_command(argc, argv, dcmrank::command::service_commands());
}

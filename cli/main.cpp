#include "dcmrank/command/run.h"
#ifdef DCMRANK_SERVICE
#include "dcmrank/service_command/commands.h"
#endif

int main(int argc, char** argv) {
#ifdef DCMRANK_SERVICE
  return dcmrank::run_command(argc, argv, dcmrank::command::service_commands());
#else
  return dcmrank::run_command(argc, argv);
#endif
}

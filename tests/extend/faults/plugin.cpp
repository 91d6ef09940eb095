// The whole command in a shared library, as a host that loads plugins would have it.
#include <dcmrank/command/run.h>

extern "C" int run_plugin(int argc, char** argv) { return dcmrank::run_command(argc, argv); }

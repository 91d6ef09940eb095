#include <dcmrank/command/run.h>

// The whole command line in a program of somebody else.
int main(int argc, char** argv) { return dcmrank::run_command(argc, argv); }

extern "C" int run_plugin(int argc, char** argv);

int main(int argc, char** argv) { return run_plugin(argc, argv); }

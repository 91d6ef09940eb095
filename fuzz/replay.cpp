// Runs a fuzz target over every file of a folder, without a fuzzer. usage: fuzz_replay TARGET
// FOLDER
#include "replay.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  int files = 0;
  for (const FuzzTarget& target : fuzz_targets()) {
    if (argc != 3 || target.name != argv[1]) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[2])) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
      target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  std::printf("%d inputs replayed\n", files);
  return files > 0 ? 0 : 1;
}

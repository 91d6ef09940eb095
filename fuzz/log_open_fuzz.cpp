// A file of which nothing is known: its compression, format and columns are found out, and its
// counts do not depend on where it is cut.
#include <stdexcept>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "log_fuzz.h"

namespace {

// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("log", MFD_CLOEXEC)) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (descriptor_ < 0 || ::write(descriptor_, bytes.data(), bytes.size()) != size) std::abort();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

std::string counts_of(const MemoryFile& file, std::uint64_t part_bytes) {
  using namespace dcmrank;
  const Log log = open_log({file.path()}, LogShape{}, part_bytes);
  return print_counts(collect(log, {1, false, {}}, {}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({reinterpret_cast<const char*>(data), size});
  try {
    const std::string whole = counts_of(file, UINT64_MAX / 4);
    if (counts_of(file, 1 + size / 5) != whole) std::abort();
  } catch (const std::runtime_error&) {
    // not known, or without the columns; an id that counts cannot hold; compressed bytes that were
    // changed (the seed changed.xz)
  }
  return 0;
}

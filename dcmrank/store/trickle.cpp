#include "dcmrank/store/trickle.h"

#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

namespace dcmrank::service {
namespace {

constexpr std::size_t kWritesOfABit = 64;  // of a page each
constexpr std::chrono::milliseconds kRestOfABit(2);

Trickle*& present_trickle() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  thread_local Trickle* present = nullptr;
  return present;
}

// What SQLite calls instead of a function that writes.
template <auto function, class... Rest>
ssize_t write_and_tell(int file, const void* bytes, std::size_t size, Rest... rest) {
  const ssize_t written = function(file, bytes, size, rest...);
  if (written >= 0) Trickle::wrote(file);
  return written;
}

}  // namespace

Trickle::Trickle() : outer_(std::exchange(present_trickle(), this)) {}

Trickle::~Trickle() { present_trickle() = outer_; }

// Of these functions SQLite uses those that it was built with.
void Trickle::prepare() {
  sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  if (system == nullptr || system->iVersion < 3) return;
  const auto replace = [&](const char* name, auto function) {
    system->xSetSystemCall(system, name, reinterpret_cast<sqlite3_syscall_ptr>(function));
  };
  replace("write", write_and_tell<::write>);
  replace("pwrite", write_and_tell<::pwrite, off_t>);
  replace("pwrite64", write_and_tell<::pwrite64, off64_t>);
}

void Trickle::wrote(int file) {
  Trickle* trickle = present_trickle();
  if (trickle == nullptr || ++trickle->writes_ % kWritesOfABit != 0) return;
  ++trickle->rests_;
  ::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);  // what fails is told by the sync
  std::this_thread::sleep_for(kRestOfABit);
}

}  // namespace dcmrank::service

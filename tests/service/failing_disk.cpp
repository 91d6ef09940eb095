// Preloaded into the program: while the file named by FAILING_DISK is there, the disk is what it
// says: "full" (writes fail with ENOSPC) or "sync" (fsync fails with EIO); or the machine is:
// "none" (no descriptor is left for a connection). A "tight" one has 17 MiB left. Its clock is
// CLOCK_AHEAD seconds fast.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

bool trouble(const char* kind) {
  const char* file = std::getenv("FAILING_DISK");
  struct stat found {};
  if (file == nullptr || ::stat(file, &found) != 0) return false;
  const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
  char text[8] = {};
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  return size > 0 && std::strncmp(text, kind, 4) == 0;
}

// Only what the database writes: not the answers on sockets, nor the output.
bool is_file(int fd) {
  struct stat found {};
  return ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (fd > 2 && is_file(fd) && trouble("full")) {
    errno = ENOSPC;
    return -1;
  }
  return real(fd, bytes, size);
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  if (is_file(fd) && trouble("full")) {
    errno = ENOSPC;
    return -1;
  }
  return real(fd, bytes, size, at);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  return pwrite64(fd, bytes, size, at);
}

int fsync(int fd) {
  static const auto real = next<int (*)(int)>("fsync");
  if (trouble("sync")) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int fdatasync(int fd) {
  static const auto real = next<int (*)(int)>("fdatasync");
  if (trouble("sync")) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int clock_gettime(clockid_t clock, timespec* now) {
  static const auto real = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  const char* ahead = std::getenv("CLOCK_AHEAD");
  if (ahead != nullptr && clock == CLOCK_REALTIME) now->tv_sec += std::atoi(ahead);
  return result;
}

int statvfs64(const char* path, struct statvfs64* found) {
  static const auto real = next<int (*)(const char*, struct statvfs64*)>("statvfs64");
  const int result = real(path, found);
  constexpr unsigned long kLeft = 17UL << 20U;
  if (result == 0 && trouble("tigh")) found->f_bavail = kLeft / found->f_frsize;
  return result;
}

int statvfs(const char* path, struct statvfs* found) {
  static const auto real = next<int (*)(const char*, struct statvfs*)>("statvfs");
  const int result = real(path, found);
  constexpr unsigned long kLeft = 17UL << 20U;
  if (result == 0 && trouble("tigh")) found->f_bavail = kLeft / found->f_frsize;
  return result;
}

int accept(int fd, sockaddr* address, socklen_t* size) {
  static const auto real = next<int (*)(int, sockaddr*, socklen_t*)>("accept");
  if (trouble("none")) {
    errno = EMFILE;
    return -1;
  }
  return real(fd, address, size);
}

}  // extern "C"

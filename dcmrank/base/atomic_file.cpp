#include "dcmrank/base/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/file_error.h"

namespace dcmrank {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::generic_category().message(errno); }

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real;
}

std::string prefix_of(const fs::path& target) {
  return fmt::format(".{}.", target.stem().string());
}

// Under a name of our own and not by mkstemp, whose files only their owner may read: a plain open()
// lets the kernel apply the umask, which a program with threads cannot look at without changing it.
int open_temporary(const fs::path& target, mode_t mode, fs::path& name) {
  std::random_device random;
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    name = target.parent_path() /
           fmt::format("{}{:08x}{}", prefix_of(target), random(), target.extension().string());
    const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// A file that is replaced keeps its permissions: who may not read the old one may not read the new.
// Those of its group go with the group, or not at all.
int open_with_permissions_of(const fs::path& target, fs::path& name) {
  struct stat old {};
  if (::stat(target.c_str(), &old) != 0) return open_temporary(target, 0666, name);
  const int descriptor = open_temporary(target, 0600, name);
  if (descriptor < 0) return descriptor;
  struct stat now {};
  const bool owned = ::fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                     ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  const bool same = owned || (::fstat(descriptor, &now) == 0 && now.st_gid == old.st_gid);
  ::fchmod(descriptor, old.st_mode & (same ? 0777U : 0707U));
  return descriptor;
}

// Devices never end, but for terminals.
void refuse_device(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !(S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode))) {
    return;
  }
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  const bool terminal = file >= 0 && ::isatty(file) != 0;
  if (file >= 0) ::close(file);
  if (!terminal) throw InputError(fmt::format("cannot read {}: it is a device", path));
}

// Locked for as long as it is being written, so that nobody takes it for a leftover; whoever was
// quicker than the lock has removed it.
int open_private(const fs::path& target, fs::path& name) {
  for (;;) {
    const int descriptor = open_temporary(target, S_IRUSR | S_IWUSR, name);
    if (descriptor < 0) return descriptor;
    struct stat made {};
    ::flock(descriptor, LOCK_EX | LOCK_NB);
    if (::fstat(descriptor, &made) != 0 || made.st_nlink > 0) return descriptor;
    ::close(descriptor);
  }
}

bool is_temporary_of(const fs::path& target, const std::string& name) {
  constexpr std::size_t kDigits = 8;
  const std::string prefix = prefix_of(target);
  const std::string end = target.extension().string();
  return name.size() == prefix.size() + kDigits + end.size() && name.starts_with(prefix) &&
         name.ends_with(end) &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) >= prefix.size() + kDigits;
}

// What a program that was killed left, with the journal that SQLite keeps beside a database.
void remove_leftovers(const fs::path& target) {
  std::error_code error;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path file = at->path();
    if (!is_temporary_of(target, file.filename().string())) continue;
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    struct stat found {};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &found) == 0 &&
        S_ISREG(found.st_mode)) {
      ::unlink((file.string() + "-journal").c_str());
      ::unlink(file.c_str());
    }
    ::close(descriptor);
  }
}

}  // namespace

AtomicFile::AtomicFile(fs::path target, Readers readers) : target_(resolved(target)) {
  std::error_code ignored;
  const auto type = fs::status(target_, ignored).type();
  if (type == fs::file_type::regular || type == fs::file_type::not_found) {
    if (readers == Readers::kOwner) remove_leftovers(target_);
    descriptor_ = readers == Readers::kOwner ? open_private(target_, temporary_)
                                             : open_with_permissions_of(target_, temporary_);
  } else {
    temporary_ = target_;
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (descriptor_ < 0) {
    throw FileError("write", target.string(), errno);
  }
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (temporary_ != target_) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* doing) const {
  throw std::runtime_error(fmt::format("{} {}: {}", doing, target_.string(), reason()));
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (temporary_ != target_) {
    // Another program may have replaced the temporary file: sync what stands under its name.
    const int written = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
    if (written < 0) fail("reading back");
    const int synced = ::fsync(written);
    ::close(written);
    if (synced != 0) fail("syncing");
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("renaming to");
  }
  ::close(std::exchange(descriptor_, -1));
}

namespace {

/// All that is left of `stream`, by blocks.
std::string rest_of(std::istream& stream) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  std::string text;
  while (stream) {
    const std::size_t before = text.size();
    text.resize(std::max(text.capacity(), before + kBlock));
    stream.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return rest_of(std::cin);
  if (fs::is_directory(path))
    throw InputError(fmt::format("cannot read {}: it is a directory", path));
  refuse_device(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError("read", path, errno);
  std::string text = rest_of(file);
  if (file.bad()) throw InputError(fmt::format("cannot read {}: {}", path, reason()));
  return text;
}

std::string read_regular_file(const std::string& path) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) throw FileError("read", path, errno);
  const auto close_it = [](const int* descriptor) { ::close(*descriptor); };
  const std::unique_ptr<const int, decltype(close_it)> open(&file, close_it);
  struct stat found {};
  if (::fstat(file, &found) != 0) throw FileError("read", path, errno);
  if (S_ISDIR(found.st_mode)) {
    throw InputError(fmt::format("cannot read {}: it is a directory", path));
  }
  if (!S_ISREG(found.st_mode)) {
    throw InputError(fmt::format("cannot read {}: it is no regular file", path));
  }
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kBlock);
    const ssize_t size = ::read(file, text.data() + before, kBlock);
    if (size < 0 && errno != EINTR) throw FileError("read", path, errno);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (size == 0) return text;
  }
}

}  // namespace dcmrank

#include "dcmrank/store/files.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/store/reason.h"

namespace dcmrank::service {
namespace {

std::string name_of(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> room{};
  if (::getpwuid_r(user, &entry, room.data(), room.size(), &found) == 0 && found != nullptr) {
    return entry.pw_name;
  }
  return fmt::format("user {}", user);
}

bool may(const std::filesystem::path& file, int how) {
  return ::faccessat(AT_FDCWD, file.c_str(), how, AT_EACCESS) == 0;
}

}  // namespace

std::string told_with_owner(int error, const std::filesystem::path& file) {
  std::string text = std::strerror(error);  // NOLINT(concurrency-mt-unsafe)
  if (error != EACCES && error != EPERM) return text;
  struct stat found {};
  std::filesystem::path seen = file;
  while (::stat(seen.c_str(), &found) != 0) {
    if (seen == "." || seen.parent_path() == seen) return text;
    seen = seen.has_parent_path() ? seen.parent_path() : ".";
  }
  const std::string owner = name_of(found.st_uid);
  const std::string user = name_of(::geteuid());
  text += seen == file ? "; it belongs to " + owner
                       : fmt::format("; {} belongs to {}", seen.string(), owner);
  if (found.st_uid == ::geteuid()) return text + ", who may not: see chmod";
  return text + fmt::format(", and this is {0}: chown {0} helps", user);
}

bool is_there(const std::filesystem::path& file, Access access) {
  const bool writes = access == Access::kWrite;
  if (may(file, F_OK)) {
    if (may(file, writes ? R_OK | W_OK : R_OK)) return true;
    if (writes && may(file, R_OK)) {
      throw InputError(
          fmt::format("{} cannot be written to: {}", file.string(), told_with_owner(errno, file)));
    }
  }
  if (errno == ENOENT) return false;
  throw InputError(
      fmt::format("{} cannot be read: {}", file.string(), told_with_owner(errno, file)));
}

std::optional<SameFiles::Identity> SameFiles::identity_of(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return Identity{found.st_dev, found.st_ino};
}

SameFiles::SameFiles(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) {
    if (const auto identity = identity_of(file)) files_.emplace_back(file, *identity);
  }
}

void SameFiles::check() const {
  for (const auto& [file, identity] : files_) {
    if (identity_of(file) == identity) continue;
    throw StorageError(Reason{
        fmt::format("{} was removed or replaced while the server was running; put it back, or "
                    "restart the server",
                    file.string()),
        "the database was removed or replaced while the server was running"});
  }
}

}  // namespace dcmrank::service

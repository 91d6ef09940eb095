#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dcmrank::service {

/// What the system says of its last error, such as "Permission denied"; and, where it is a matter
/// of rights, whose the file (or the nearest folder that can be looked at) is, who we are, and what
/// helps.
std::string told_with_owner(int error, const std::filesystem::path& file);

enum class Access : std::uint8_t { kRead, kWrite };

/// Whether a file is there. Throws InputError where that cannot be seen, or where it is there and
/// this process may not do that with it.
bool is_there(const std::filesystem::path& file, Access access);

/// Files that are written to for as long as they are open, whatever becomes of their names: who
/// writes on when they were removed or replaced writes for nobody.
class SameFiles {
 public:
  /// As they are now; what is not there is not looked after.
  explicit SameFiles(const std::vector<std::filesystem::path>& files);

  /// Throws StorageError where one is not the same any more. Any thread.
  void check() const;

 private:
  using Identity = std::pair<std::uint64_t, std::uint64_t>;  // device and inode
  static std::optional<Identity> identity_of(const std::filesystem::path& file);

  std::vector<std::pair<std::filesystem::path, Identity>> files_;
};

}  // namespace dcmrank::service

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dcmrank {

/// A file that appears whole or not at all. The constructor makes a temporary file beside the
/// target, so a target that cannot be written is refused before the work begins; commit() makes it
/// durable and renames it. Without commit the temporary file is removed. Anything but a regular
/// file (/dev/null, a pipe) is written directly. One thread at a time.
class AtomicFile {
 public:
  /// Who may read the file: whoever the umask lets, or its owner alone, from the moment on at which
  /// it is made. What a killed program left of the latter is removed by the next one of that name.
  enum class Readers : std::uint8_t { kByUmask, kOwner };

  /// Throws InputError naming the file and the reason. The temporary file keeps the target's
  /// extension, for programs that choose the format by it.
  explicit AtomicFile(std::filesystem::path target, Readers readers = Readers::kByUmask);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  /// Throws std::runtime_error naming the file and the reason.
  void write(std::string_view bytes);
  void commit();

  /// The name under which another program may write the content before commit().
  const std::filesystem::path& temporary() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }

 private:
  [[noreturn]] void fail(const char* doing) const;

  std::filesystem::path target_;     // symbolic links resolved
  std::filesystem::path temporary_;  // the target itself where it is not a regular file
  int descriptor_ = -1;
};

/// Reads a whole file; "-" is standard input. Throws InputError naming the file and the reason.
std::string read_file(const std::string& path);

/// Likewise, of what must be a file: a pipe that nobody writes to would be waited for.
std::string read_regular_file(const std::string& path);

}  // namespace dcmrank

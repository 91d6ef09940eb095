#pragma once

#include <string>
#include <string_view>

namespace dcmrank {

/// The bytes of a file, which the system reads when they are accessed; what is not a regular file
/// (- is standard input) is read all at once. Immutable, so threads may share it.
class MappedFile {
 public:
  /// Throws InputError naming the file and the reason.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string read_;  // where it is not mapped
  std::string_view bytes_;
  void* mapping_ = nullptr;
};

}  // namespace dcmrank

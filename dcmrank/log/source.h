#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

namespace dcmrank {

/// A stream of bytes. One thread at a time.
class Source {
 public:
  virtual ~Source() = default;
  /// Fills the start of `buffer` and returns the number of bytes; 0 only at the end. Throws
  /// DamagedFile where compressed bytes make no sense or end too early, std::runtime_error where
  /// reading fails, and Interrupted when the user asked to stop.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

/// Compressed bytes that cannot be decompressed.
class DamagedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a caller follows and stops a long read.
struct ReadControl {
  std::stop_token stop;
  std::atomic<std::uint64_t>* bytes_done = nullptr;  // of the files, as they are on the disk
};

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

/// By the first bytes of a file, not by its name.
Compression detect_compression(std::string_view first_bytes);
Compression compression_of(const std::string& path);

/// A part of a file: the bytes from `begin` to before `end`. "-" is standard input.
struct FilePart {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t end = UINT64_MAX;
};

/// The bytes of a part, decompressed where it begins with a magic number of gzip or Zstandard.
/// Throws InputError naming the file and the reason where it cannot be opened.
std::unique_ptr<Source> open_source(const FilePart& part, const ReadControl& control);

/// Each decompresses all of `inner`, concatenated members or frames included.
std::unique_ptr<Source> gunzip(std::unique_ptr<Source> inner);
std::unique_ptr<Source> unzstd(std::unique_ptr<Source> inner);

}  // namespace dcmrank

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
  /// DamagedFile where compressed bytes make no sense or end too early, after all that is before
  /// them was given, std::runtime_error where
  /// reading fails, and Interrupted when the user asked to stop.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

/// Compressed bytes that cannot be decompressed. What was decompressed before them is right.
class DamagedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bytes that were changed: they were decompressed, at least in part, before that showed (a
/// checksum comes last), so what was read may be wrong.
class ChangedFile : public DamagedFile {
 public:
  using DamagedFile::DamagedFile;
};

/// How a caller follows and stops a long read.
struct ReadControl {
  std::stop_token stop;
  std::atomic<std::uint64_t>* bytes_done = nullptr;  // of the files, as they are on the disk
};

enum class Compression : std::uint8_t { kNone, kGzip, kZstd, kXz, kBzip2 };

/// "gzip"; empty for kNone.
std::string_view compression_name(Compression compression);

/// By the first bytes of a file, not by its name.
Compression detect_compression(std::string_view first_bytes);

/// A file that can be read only once and was begun: a pipe, of which we know the first bytes.
struct BegunFile {
  int descriptor = -1;
  std::string bytes;  // that were read

  explicit BegunFile(int opened) : descriptor(opened) {}
  ~BegunFile();
  BegunFile(const BegunFile&) = delete;
  BegunFile& operator=(const BegunFile&) = delete;
  BegunFile(BegunFile&&) = delete;
  BegunFile& operator=(BegunFile&&) = delete;
};

/// A part of a file: the bytes from `begin` to before `end`. "-" is standard input.
struct FilePart {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t end = UINT64_MAX;
  std::shared_ptr<BegunFile> begun = {};  // what there is of it already
};

/// Opens what can be opened only once: standard input, a pipe. Throws InputError.
void begin_file(FilePart& part);

/// The bytes of a part, decompressed where it begins with a magic number of a compression that we
/// know. Throws InputError naming the file and the reason if it cannot be opened.
std::unique_ptr<Source> open_source(const FilePart& part, const ReadControl& control);

/// Decompresses all of `inner`, concatenated members or frames included.
std::unique_ptr<Source> decompress(Compression compression, std::unique_ptr<Source> inner);
std::unique_ptr<Source> gunzip(std::unique_ptr<Source> inner);
std::unique_ptr<Source> unzstd(std::unique_ptr<Source> inner);
std::unique_ptr<Source> unxz(std::unique_ptr<Source> inner);
std::unique_ptr<Source> unbzip2(std::unique_ptr<Source> inner);

/// The first bytes of a file, as it is on the disk and decompressed.
struct FileStart {
  Compression compression = Compression::kNone;
  std::string raw;
  std::string text;    // nothing if compressed bytes make no sense
  bool whole = false;  // the text is all of the file
};

/// Reads about `bytes` of the start, decompressed. What a pipe gave stays with `part.begun`, for
/// open_source. Throws as open_source.
FileStart start_of(FilePart& part, std::size_t bytes, const std::stop_token& stop);

}  // namespace dcmrank

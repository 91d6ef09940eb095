#include "dcmrank/source/source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/file_error.h"

namespace dcmrank {
namespace {

int open_file(const std::string& path) {
  return path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void close_file(int descriptor) {
  if (descriptor > STDIN_FILENO) ::close(descriptor);
}

std::string system_reason() { return std::generic_category().message(errno); }

// How long a pipe is waited for before the user's wish to stop is looked for.
constexpr int kGlanceMilliseconds = 50;

// The raw bytes of a file or of standard input. Pipes are opened without waiting for who writes
// into them, and waited for here: a read that blocks could not be interrupted.
class FileSource : public Source {
 public:
  FileSource(const FilePart& part, ReadControl control)
      : path_(part.path),
        begun_(part.begun),
        descriptor_(begun_ ? begun_->descriptor : open_file(path_)),
        left_(part.end - part.begin),
        control_(std::move(control)) {
    struct stat status {};
    if (descriptor_ < 0) throw FileError("read", path_, errno);
    if (::fstat(descriptor_, &status) != 0) refuse(system_reason());
    if (S_ISDIR(status.st_mode)) refuse("it is a directory");
    waits_ = !S_ISREG(status.st_mode);
    if (part.begin != 0 && ::lseek(descriptor_, static_cast<off_t>(part.begin), SEEK_SET) < 0) {
      refuse(system_reason());
    }
  }
  ~FileSource() override { close(); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  FileSource(FileSource&&) = delete;
  FileSource& operator=(FileSource&&) = delete;

  std::size_t read(std::span<char> buffer) override {
    if (control_.stop.stop_requested()) throw Interrupted();
    const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), left_);
    ssize_t got = -1;
    do {
      if (waits_) wait();
      got = ::read(descriptor_, buffer.data(), wanted);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN) && !control_.stop.stop_requested());
    if (got < 0) throw std::runtime_error(fmt::format("reading {}: {}", path_, system_reason()));
    left_ -= static_cast<std::uint64_t>(got);
    if (control_.bytes_done != nullptr) *control_.bytes_done += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }

 private:
  // Until there is something to read, or nobody will write any more.
  void wait() const {
    for (;;) {
      pollfd waited{descriptor_, POLLIN, 0};
      const int ready = ::poll(&waited, 1, kGlanceMilliseconds);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return;
      if (control_.stop.stop_requested()) throw Interrupted();
    }
  }
  void close() const {
    if (!begun_) close_file(descriptor_);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    close();
    throw InputError(fmt::format("cannot read {}: {}", path_, why));
  }

  std::string path_;
  std::shared_ptr<BegunFile> begun_;  // whose descriptor it is
  int descriptor_;
  std::uint64_t left_;
  ReadControl control_;
  bool waits_ = false;
};

// Gives back bytes that were read to look at them.
class Prefixed : public Source {
 public:
  Prefixed(std::string prefix, std::unique_ptr<Source> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> buffer) override {
    if (prefix_.empty()) return rest_->read(buffer);
    const std::size_t n = prefix_.copy(buffer.data(), buffer.size());
    prefix_.erase(0, n);
    return n;
  }

 private:
  std::string prefix_;
  std::unique_ptr<Source> rest_;
};

// Appends what there is, up to that many bytes in all.
void read_some(Source& source, std::size_t bytes, std::string& text) {
  std::array<char, 4096> piece{};
  while (text.size() < bytes) {
    const std::size_t wanted = std::min(piece.size(), bytes - text.size());
    const std::size_t got = source.read(std::span(piece).first(wanted));
    if (got == 0) return;
    text.append(piece.data(), got);
  }
}

// Keeps what it hands on.
class Recording : public Source {
 public:
  Recording(Source& source, std::string& record) : source_(&source), record_(&record) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t got = source_->read(buffer);
    record_->append(buffer.data(), got);
    return got;
  }

 private:
  Source* source_;
  std::string* record_;
};

struct KnownCompression {
  Compression compression;
  std::string_view name;
  std::string_view magic;
  std::unique_ptr<Source> (*open)(std::unique_ptr<Source>);
};

constexpr std::size_t kLongestMagic = 6;
constexpr std::array<KnownCompression, 4> kCompressions{{
    {Compression::kGzip, "gzip", "\x1f\x8b", gunzip},
    {Compression::kZstd, "zstd", "\x28\xb5\x2f\xfd", unzstd},
    {Compression::kXz, "xz",
     std::string_view("\xfd"
                      "7zXZ\0",
                      6),
     unxz},
    {Compression::kBzip2, "bzip2", "BZh", unbzip2},
}};

const KnownCompression* find(Compression compression) {
  for (const KnownCompression& known : kCompressions) {
    if (known.compression == compression) return &known;
  }
  return nullptr;
}

}  // namespace

BegunFile::~BegunFile() { close_file(descriptor); }

std::string_view compression_name(Compression compression) {
  const KnownCompression* known = find(compression);
  return known == nullptr ? std::string_view() : known->name;
}

Compression detect_compression(std::string_view first) {
  for (const KnownCompression& known : kCompressions) {
    if (first.starts_with(known.magic)) return known.compression;
  }
  return Compression::kNone;
}

std::unique_ptr<Source> decompress(Compression compression, std::unique_ptr<Source> inner) {
  const KnownCompression* known = find(compression);
  return known == nullptr ? std::move(inner) : known->open(std::move(inner));
}

std::unique_ptr<Source> open_source(const FilePart& part, const ReadControl& control) {
  std::unique_ptr<Source> file = std::make_unique<FileSource>(part, control);
  if (part.begin != 0) return file;  // only plain files are read in parts
  std::string prefix = part.begun ? std::exchange(part.begun->bytes, {}) : std::string();
  if (prefix.size() < kLongestMagic) read_some(*file, kLongestMagic, prefix);
  const Compression compression = detect_compression(prefix);
  return decompress(compression, std::make_unique<Prefixed>(std::move(prefix), std::move(file)));
}

void begin_file(FilePart& part) {
  std::error_code unknown;
  if (part.path != "-" && !std::filesystem::is_fifo(part.path, unknown)) return;
  const int descriptor = open_file(part.path);
  if (descriptor < 0) throw FileError("read", part.path, errno);
  part.begun = std::make_shared<BegunFile>(descriptor);
}

FileStart start_of(FilePart& part, std::size_t bytes, const std::stop_token& stop) {
  const auto file = std::make_unique<FileSource>(part, ReadControl{stop, nullptr});
  FileStart start;
  read_some(*file, kLongestMagic, start.raw);
  start.compression = detect_compression(start.raw);
  const auto text = decompress(
      start.compression,
      std::make_unique<Prefixed>(start.raw, std::make_unique<Recording>(*file, start.raw)));
  try {
    read_some(*text, bytes, start.text);
  } catch (const ChangedFile&) {
    throw;  // what was read of it may be wrong
  } catch (const DamagedFile&) {
    // what was read of it stays
  }
  start.whole = start.text.size() < bytes;
  if (part.begun) part.begun->bytes = start.raw;
  return start;
}

}  // namespace dcmrank

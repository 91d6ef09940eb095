#include "dcmrank/log/source.h"

#include <algorithm>
#include <array>
#include <cerrno>
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

std::string system_reason() { return std::generic_category().message(errno); }

// How long a pipe is waited for before the user's wish to stop is looked for.
constexpr int kGlanceMilliseconds = 50;

// The raw bytes of a file or of standard input. Pipes are opened without waiting for who writes
// into them, and waited for here: a read that blocks could not be interrupted.
class FileSource : public Source {
 public:
  FileSource(const FilePart& part, ReadControl control)
      : path_(part.path),
        descriptor_(path_ == "-" ? STDIN_FILENO
                                 : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
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
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    close();
    throw InputError(fmt::format("cannot read {}: {}", path_, why));
  }

  std::string path_;
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

std::string first_bytes(Source& source) {
  std::array<char, 4> bytes{};
  std::size_t n = 0;
  while (n < bytes.size()) {
    const std::size_t got = source.read(std::span(bytes).subspan(n));
    if (got == 0) break;
    n += got;
  }
  return {bytes.data(), n};
}

}  // namespace

Compression detect_compression(std::string_view first) {
  if (first.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (first.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  return Compression::kNone;
}

Compression compression_of(const std::string& path) {
  FileSource file({path, 0, UINT64_MAX}, {});
  return detect_compression(first_bytes(file));
}

std::unique_ptr<Source> open_source(const FilePart& part, const ReadControl& control) {
  std::unique_ptr<Source> file = std::make_unique<FileSource>(part, control);
  if (part.begin != 0) return file;  // only plain files are read in parts
  std::string prefix = first_bytes(*file);
  const Compression compression = detect_compression(prefix);
  file = std::make_unique<Prefixed>(std::move(prefix), std::move(file));
  if (compression == Compression::kGzip) return gunzip(std::move(file));
  if (compression == Compression::kZstd) return unzstd(std::move(file));
  return file;
}

}  // namespace dcmrank

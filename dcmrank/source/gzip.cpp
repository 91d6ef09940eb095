#include <new>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "dcmrank/source/codec_source.h"

namespace dcmrank {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, a gzip header

class Gzip {
 public:
  static constexpr const char* kName = "gzip";

  Gzip() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() { inflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  Gzip(Gzip&&) = delete;
  Gzip& operator=(Gzip&&) = delete;

  void step() {
    within_member_ = true;
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      within_member_ = false;
      member_ended_ = true;
      inflateReset(&stream);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      const auto what = fmt::format("gzip: {}", stream.msg == nullptr ? "bad data" : stream.msg);
      const bool between = member_ended_ && stream.total_out == 0;
      if (between) throw DamagedFile(what);  // it came after the end of a member
      throw ChangedFile(what);
    }
  }
  bool ended() const { return !within_member_; }

  z_stream stream{};

 private:
  bool within_member_ = true;
  bool member_ended_ = false;  // one of them
};

}  // namespace

std::unique_ptr<Source> gunzip(std::unique_ptr<Source> inner) {
  return std::make_unique<CodecSource<Gzip>>(std::move(inner));
}

}  // namespace dcmrank

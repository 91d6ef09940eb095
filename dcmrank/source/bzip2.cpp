#include <new>
#include <utility>

#include <bzlib.h>
#include <fmt/format.h>

#include "dcmrank/source/codec_source.h"

namespace dcmrank {
namespace {

class Bzip2 {
 public:
  static constexpr const char* kName = "bzip2";

  Bzip2() { start(); }
  ~Bzip2() { BZ2_bzDecompressEnd(&stream); }
  Bzip2(const Bzip2&) = delete;
  Bzip2& operator=(const Bzip2&) = delete;
  Bzip2(Bzip2&&) = delete;
  Bzip2& operator=(Bzip2&&) = delete;

  void step() {
    within_member_ = true;
    const int status = BZ2_bzDecompress(&stream);
    if (status == BZ_STREAM_END) {
      within_member_ = false;
      BZ2_bzDecompressEnd(&stream);  // leaves what is not yet decoded
      start();
    } else if (status != BZ_OK) {
      const auto what = fmt::format("bzip2: bad data ({})", status);
      if (status == BZ_DATA_ERROR_MAGIC) throw DamagedFile(what);  // it came after the end
      throw ChangedFile(what);
    }
  }
  bool ended() const { return !within_member_; }

  bz_stream stream{};

 private:
  void start() {
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bool within_member_ = true;
};

}  // namespace

std::unique_ptr<Source> unbzip2(std::unique_ptr<Source> inner) {
  return std::make_unique<CodecSource<Bzip2>>(std::move(inner));
}

}  // namespace dcmrank

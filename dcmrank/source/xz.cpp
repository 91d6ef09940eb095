#include <new>
#include <utility>

#include <fmt/format.h>
#include <lzma.h>

#include "dcmrank/source/codec_source.h"

namespace dcmrank {
namespace {

// More than `xz -9 --lzma2=dict=768MiB` needs; a few bytes cannot make us take more.
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 30U;

class Xz {
 public:
  static constexpr const char* kName = "xz";

  Xz() {
    if (lzma_stream_decoder(&stream, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~Xz() { lzma_end(&stream); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;
  Xz(Xz&&) = delete;
  Xz& operator=(Xz&&) = delete;

  void step() { check(lzma_code(&stream, LZMA_RUN)); }

  // Only the end of the input says that no other stream follows.
  bool ended() {
    ended_ = ended_ || check(lzma_code(&stream, LZMA_FINISH)) == LZMA_STREAM_END;
    return ended_;
  }

  lzma_stream stream = LZMA_STREAM_INIT;

 private:
  static lzma_ret check(lzma_ret status) {
    if (status == LZMA_OK || status == LZMA_STREAM_END || status == LZMA_BUF_ERROR) return status;
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_MEMLIMIT_ERROR) throw DamagedFile("xz: it needs more than 1 GiB of memory");
    const auto what = fmt::format("xz: bad data ({})", +status);
    if (status == LZMA_FORMAT_ERROR) throw DamagedFile(what);  // it came after the end
    throw ChangedFile(what);
  }

  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> unxz(std::unique_ptr<Source> inner) {
  return std::make_unique<CodecSource<Xz>>(std::move(inner));
}

}  // namespace dcmrank

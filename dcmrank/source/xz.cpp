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

  Xz() { begin(); }
  ~Xz() { lzma_end(&stream); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;
  Xz(Xz&&) = delete;
  Xz& operator=(Xz&&) = delete;

  // Streams may follow each other, with zeros between; anything else after one is not its damage.
  void step() {
    if (between_ && !begins_again()) return;
    between_ = check(lzma_code(&stream, LZMA_RUN)) == LZMA_STREAM_END;
  }

  bool ended() const { return between_ && stream.avail_in == 0; }

  lzma_stream stream = LZMA_STREAM_INIT;

 private:
  void begin() {
    if (lzma_stream_decoder(&stream, kMostMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }

  bool begins_again() {
    constexpr std::uint8_t kMagic = 0xFD;
    while (stream.avail_in > 0 && *stream.next_in == 0) {
      ++stream.next_in;
      --stream.avail_in;
    }
    if (stream.avail_in == 0) return false;
    if (*stream.next_in != kMagic) throw DamagedFile("xz: other bytes after its end");
    begin();
    return true;
  }

  static lzma_ret check(lzma_ret status) {
    if (status == LZMA_OK || status == LZMA_STREAM_END || status == LZMA_BUF_ERROR) return status;
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_MEMLIMIT_ERROR) throw DamagedFile("xz: it needs more than 1 GiB of memory");
    const auto what = fmt::format("xz: bad data ({})", +status);
    if (status == LZMA_FORMAT_ERROR) throw DamagedFile(what);  // it came after the end
    throw ChangedFile(what);
  }

  bool between_ = false;  // a stream has ended, and none has begun
};

}  // namespace

std::unique_ptr<Source> unxz(std::unique_ptr<Source> inner) {
  return std::make_unique<CodecSource<Xz>>(std::move(inner));
}

}  // namespace dcmrank

#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "dcmrank/source/source.h"

namespace dcmrank {
namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdSource : public Source {
 public:
  explicit ZstdSource(std::unique_ptr<Source> inner)
      : inner_(std::move(inner)), input_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !refill() && !flushing_) {
        if (hint_ != 0) throw DamagedFile("zstd: the file ends too early");
        return 0;
      }
      hint_ = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(hint_) != 0) {
        const auto what = fmt::format("zstd: {}", ZSTD_getErrorName(hint_));
        const bool begins_no_frame = ZSTD_getErrorCode(hint_) == ZSTD_error_prefix_unknown;
        if (begins_no_frame) throw DamagedFile(what);  // it came after the end of one
        throw ChangedFile(what);
      }
      flushing_ = out.pos == out.size && hint_ != 0;
    }
    return out.pos;
  }

 private:
  bool refill() {
    in_ = {input_.data(), inner_->read(input_), 0};
    return in_.size > 0;
  }

  std::unique_ptr<Source> inner_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t hint_ = 1;   // 0 at the end of a frame
  bool flushing_ = false;  // the decoder may hold more than fitted
};

}  // namespace

std::unique_ptr<Source> unzstd(std::unique_ptr<Source> inner) {
  return std::make_unique<ZstdSource>(std::move(inner));
}

}  // namespace dcmrank

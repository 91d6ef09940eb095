#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "dcmrank/log/source.h"

namespace dcmrank {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, a gzip header

class GzipSource : public Source {
 public:
  explicit GzipSource(std::unique_ptr<Source> inner) : inner_(std::move(inner)), input_(1U << 18U) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  GzipSource(GzipSource&&) = delete;
  GzipSource& operator=(GzipSource&&) = delete;

  std::size_t read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out == buffer.size()) {
      if (stream_.avail_in == 0 && !refill()) {
        if (within_member_) throw DamagedFile("gzip: the file ends too early");
        return 0;
      }
      step();
    }
    return buffer.size() - stream_.avail_out;
  }

 private:
  bool refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(inner_->read(input_));
    return stream_.avail_in > 0;
  }

  void step() {
    within_member_ = true;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      within_member_ = false;
      inflateReset(&stream_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DamagedFile(fmt::format("gzip: {}", stream_.msg == nullptr ? "bad data" : stream_.msg));
    }
  }

  std::unique_ptr<Source> inner_;
  std::vector<char> input_;
  z_stream stream_{};
  bool within_member_ = true;
};

}  // namespace

std::unique_ptr<Source> gunzip(std::unique_ptr<Source> inner) {
  return std::make_unique<GzipSource>(std::move(inner));
}

}  // namespace dcmrank

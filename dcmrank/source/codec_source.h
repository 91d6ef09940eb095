#pragma once

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcmrank/source/source.h"

namespace dcmrank {

/// Decompresses by a library that works as zlib does: from next_in to next_out, some at a time. A
/// Codec has such a `stream`, step(), which decodes some, and ended(), which says whether the input
/// may end where it does; both throw DamagedFile. What was decoded before that is given first.
template <class Codec>
class CodecSource : public Source {
 public:
  explicit CodecSource(std::unique_ptr<Source> inner)
      : inner_(std::move(inner)), input_(1U << 18U) {}

  std::size_t read(std::span<char> buffer) override {
    auto& stream = codec_.stream;
    stream.next_out = reinterpret_cast<decltype(stream.next_out)>(buffer.data());
    stream.avail_out = static_cast<decltype(stream.avail_out)>(buffer.size());
    while (stream.avail_out == buffer.size()) {
      if (damage_) std::rethrow_exception(damage_);
      if (stream.avail_in == 0 && !refill()) {
        if (codec_.ended()) return 0;
        throw DamagedFile(std::string(Codec::kName) + ": the file ends too early");
      }
      step();
    }
    return buffer.size() - stream.avail_out;
  }

 private:
  void step() {
    try {
      codec_.step();
    } catch (const DamagedFile&) {
      damage_ = std::current_exception();
    }
  }

  bool refill() {
    auto& stream = codec_.stream;
    stream.next_in = reinterpret_cast<decltype(stream.next_in)>(input_.data());
    stream.avail_in = static_cast<decltype(stream.avail_in)>(inner_->read(input_));
    return stream.avail_in > 0;
  }

  std::unique_ptr<Source> inner_;
  std::vector<char> input_;
  Codec codec_;
  std::exception_ptr damage_;
};

}  // namespace dcmrank

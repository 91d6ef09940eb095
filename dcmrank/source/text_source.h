#pragma once

#include <algorithm>
#include <string_view>

#include "dcmrank/source/source.h"

namespace dcmrank {

/// The bytes of a text in memory, given out in pieces of at most `piece` bytes.
class TextSource : public Source {
 public:
  explicit TextSource(std::string_view text, std::size_t piece = SIZE_MAX)
      : text_(text), piece_(piece) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t n = text_.copy(buffer.data(), std::min(buffer.size(), piece_));
    text_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

}  // namespace dcmrank

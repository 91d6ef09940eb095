#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dcmrank {

/// How many bits are set; quicker than std::popcount where the processor's own may not be used.
inline std::size_t count_bits(std::uint64_t bits) {
  bits -= bits >> 1U & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + (bits >> 2U & 0x3333333333333333U);
  bits = (bits + (bits >> 4U)) & 0x0f0f0f0f0f0f0f0fU;
  return static_cast<std::size_t>((bits * 0x0101010101010101U) >> 56U);
}

/// Places in a text, increasing; keeps its memory from text to text.
class Places {
 public:
  void clear() { size_ = 0; }
  /// Appends `at` + the number of each bit.
  void add(std::size_t at, std::uint64_t bits) {
    const std::size_t count = count_bits(bits);
    if (places_.size() < size_ + 64) places_.resize(2 * size_ + 64);
    std::uint32_t* const free = places_.data() + size_;
    // Eight at a time, since how many there are cannot be foretold.
    for (std::size_t n = 0; n < count; n += 8) {
      for (std::size_t i = 0; i < 8; ++i, bits &= bits - 1) {
        free[n + i] =
            static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
      }
    }
    size_ += count;
  }
  /// Appends another, which is not counted.
  void end(std::size_t at) {
    if (places_.size() == size_) places_.resize(2 * size_ + 64);
    places_[size_] = static_cast<std::uint32_t>(at);
  }
  std::size_t size() const { return size_; }
  std::size_t operator[](std::size_t n) const { return places_[n]; }

 private:
  std::vector<std::uint32_t> places_;  // with room to spare
  std::size_t size_ = 0;
};

/// Where up to two separators, 0 and 1, are in a line: a bit for each byte, of which the line's
/// begin somewhere. A word behind those of the line may be read.
class Separators {
 public:
  Separators(std::string_view line, std::array<const std::uint64_t*, 2> marks, std::size_t begin)
      : size_(line.size()), marks_(marks), begin_(begin) {}

  /// The bits of 64 bytes of the line from `at`, those behind its end as zeros.
  std::uint64_t bits(std::size_t which, std::size_t at) const {
    const std::size_t word = (begin_ + at) / 64;
    const std::size_t shift = (begin_ + at) % 64;
    const std::uint64_t* const marks = marks_[which];
    const std::uint64_t all = marks[word] >> shift | marks[word + 1] << 1U << (63 - shift);
    return size_ - at < 64 ? all & ((std::uint64_t{1} << (size_ - at)) - 1) : all;
  }

  /// The first place at or behind `from`; the size of the line if there is none.
  std::size_t next(std::size_t which, std::size_t from) const {
    for (; from < size_; from += 64) {
      const std::uint64_t some = bits(which, from);
      if (some != 0) return from + static_cast<std::size_t>(std::countr_zero(some));
    }
    return size_;
  }

  /// All places from `from` to before `end`, and behind them the end.
  void find(std::size_t which, std::size_t from, std::size_t end, Places& places) const {
    places.clear();
    for (; from < end; from += 64) {
      const std::uint64_t some = bits(which, from);
      places.add(from, end - from < 64 ? some & ((std::uint64_t{1} << (end - from)) - 1) : some);
    }
    places.end(end);
  }

 private:
  std::size_t size_;
  std::array<const std::uint64_t*, 2> marks_;
  std::size_t begin_;
};

/// The same, found in the obvious way.
class MarkedLine {
 public:
  MarkedLine(std::string_view line, std::string_view separators) : line_(line) {
    for (std::size_t which = 0; which < 2; ++which) {
      marks_[which].resize(line.size() / 64 + 2);
      const char wanted = which == 0 ? separators.front() : separators.back();
      for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == wanted) marks_[which][at / 64] |= std::uint64_t{1} << (at % 64);
      }
    }
  }
  Separators separators() const { return {line_, {marks_[0].data(), marks_[1].data()}, 0}; }

 private:
  std::string_view line_;
  std::array<std::vector<std::uint64_t>, 2> marks_;
};

}  // namespace dcmrank

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dcmrank {

/// What ends a field, besides a newline; up to two characters.
struct Separators {
  char first = '\n';
  char second = '\n';
};

/// The places of a line's separators, increasing, counted from the start of the line.
class FieldMarks {
 public:
  FieldMarks() = default;
  FieldMarks(const std::uint32_t* places, std::size_t size, std::uint32_t origin)
      : places_(places), size_(size), origin_(origin) {}

  std::size_t size() const { return size_; }
  std::size_t operator[](std::size_t m) const { return places_[m] - origin_; }

 private:
  const std::uint32_t* places_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t origin_ = 0;
};

/// The places of newlines and separators in a text, found in one look at it, with vectors.
class MarkFinder {
 public:
  explicit MarkFinder(Separators separators = {}) : separators_(separators) {}

  /// Looks at the bytes from `begin` to before `end`, at most 4 GB, and appends the places of what
  /// it finds. Returns whether they have neither a NUL, nor a carriage return, nor a byte above
  /// 0x7f.
  bool look(const char* bytes, std::size_t begin, std::size_t end);

  /// All newlines and the first `count` places, which have them all, are forgotten; the others move
  /// by `offset` to the front.
  void forget(std::size_t count, std::uint32_t offset);
  void clear() {
    found_.size = 0;
    found_.newline_size = 0;
  }

  std::size_t size() const { return found_.size; }
  const std::uint32_t* places() const { return found_.places.data(); }

  /// Which of the places are newlines, by their numbers.
  std::size_t newlines() const { return found_.newline_size; }
  std::size_t newline(std::size_t n) const { return found_.newlines[n]; }

  /// What was found; vectors have room to spare.
  struct Found {
    std::vector<std::uint32_t> places;
    std::size_t size = 0;
    std::vector<std::uint32_t> newlines;
    std::size_t newline_size = 0;
  };

 private:
  Separators separators_;
  Found found_;
};

}  // namespace dcmrank

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcmrank/log/separators.h"

namespace dcmrank {

/// What a text holds besides plain characters.
struct Oddities {
  bool strange = false;  // a NUL, a carriage return, or a byte above 0x7f
  bool quotes = false;
};

/// The places of newlines in a text, and bits for up to two separators, found with vectors.
class Newlines {
 public:
  explicit Newlines(std::string_view separators = {});

  /// Looks at the bytes from `begin` to before `end`, at most 4 GB, appends the places of newlines,
  /// and says what else there is, there or a few bytes before. What was said of separators before
  /// `begin` stays.
  Oddities look(const char* bytes, std::size_t begin, std::size_t end);

  void clear() { found_.lines = 0; }
  std::size_t size() const { return found_.lines; }
  std::size_t operator[](std::size_t n) const { return found_.places[n]; }

  /// The separators of `line`, which is `begin` bytes behind the start of the text.
  Separators separators(std::string_view line, std::size_t begin) const {
    return {line, {found_.marks[0].data(), found_.marks[1].data()}, begin};
  }

  /// What is looked for, and what was found; the vectors have room to spare.
  struct Found {
    std::array<char, 2> separators{'\n', '\n'};
    std::array<std::vector<std::uint64_t>, 2> marks;  // a bit for each byte that is the separator
    std::vector<std::uint32_t> places;                // of newlines
    std::size_t lines = 0;
  };

 private:
  Found found_;
};

}  // namespace dcmrank

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dcmrank {

/// What a text holds besides plain characters.
struct Oddities {
  bool strange = false;  // a NUL, a carriage return, or a byte above 0x7f
  bool quotes = false;
};

/// The places of newlines in a text, found with vectors.
class Newlines {
 public:
  /// Looks at the bytes from `begin` to before `end`, at most 4 GB, appends the places of what it
  /// finds, and says what else there is.
  Oddities look(const char* bytes, std::size_t begin, std::size_t end);

  void clear() { found_.size = 0; }
  std::size_t size() const { return found_.size; }
  std::size_t operator[](std::size_t n) const { return found_.places[n]; }

  /// What was found; the vector has room to spare.
  struct Found {
    std::vector<std::uint32_t> places;
    std::size_t size = 0;
  };

 private:
  Found found_;
};

}  // namespace dcmrank

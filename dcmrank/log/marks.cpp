#include "dcmrank/log/marks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define HWY_TARGET_INCLUDE "dcmrank/log/marks.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPiece = 64;  // bytes, a bit of a word for each

// Which of 64 bytes are a newline or a separator, and which a newline.
struct PieceMarks {
  std::uint64_t all;
  std::uint64_t newlines;
};

// `strange` becomes true where a byte is not plain.
PieceMarks marks_of_piece(const char* bytes, const Separators& separators, bool& strange) {
  const hn::CappedTag<std::int8_t, kPiece> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto newline = hn::Set(d, static_cast<std::int8_t>('\n'));
  const auto first = hn::Set(d, static_cast<std::int8_t>(separators.first));
  const auto second = hn::Set(d, static_cast<std::int8_t>(separators.second));
  const auto carriage_return = hn::Set(d, static_cast<std::int8_t>('\r'));
  const auto one = hn::Set(d, static_cast<std::int8_t>(1));
  std::array<std::uint8_t, 16> bits{};  // StoreMaskBits may write 8 bytes at a time
  std::array<std::uint8_t, 16> newline_bits{};
  auto odd = hn::Lt(one, one);
  for (std::size_t i = 0; i < kPiece; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const std::int8_t*>(bytes) + i);
    const auto ends = hn::Eq(v, newline);
    const auto found = hn::Or(ends, hn::Or(hn::Eq(v, first), hn::Eq(v, second)));
    odd = hn::Or(odd, hn::Or(hn::Lt(v, one), hn::Eq(v, carriage_return)));
    hn::StoreMaskBits(d, found, bits.data() + i / 8);
    hn::StoreMaskBits(d, ends, newline_bits.data() + i / 8);
  }
  strange = strange || !hn::AllFalse(d, odd);
  PieceMarks marks{};
  std::memcpy(&marks.all, bits.data(), sizeof marks.all);
  std::memcpy(&marks.newlines, newline_bits.data(), sizeof marks.newlines);
  return marks;
}

// Places of the bits, eight at a time, since how many there are cannot be foretold; room for 64.
std::size_t write_places(std::uint64_t bits, std::uint32_t base, std::uint32_t* places) {
  const auto count = static_cast<std::size_t>(std::popcount(bits));
  for (std::size_t n = 0; n < count; n += 8) {
    for (std::size_t i = 0; i < 8; ++i) {
      places[n + i] = base + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
  }
  return count;
}

bool look_at(const char* bytes, std::size_t begin, std::size_t end, const Separators& separators,
             MarkFinder::Found& found) {
  bool strange = false;
  const auto make_room = [](std::vector<std::uint32_t>& places, std::size_t size) {
    if (places.size() - size < 2 * kPiece) places.resize(2 * places.size() + 2 * kPiece);
  };
  const auto add = [&](std::size_t at, PieceMarks marks) {
    make_room(found.places, found.size);
    make_room(found.newlines, found.newline_size);
    for (; marks.newlines != 0; marks.newlines &= marks.newlines - 1) {
      const std::uint64_t before = (marks.newlines & (~marks.newlines + 1)) - 1;
      found.newlines[found.newline_size++] =
          static_cast<std::uint32_t>(found.size) +
          static_cast<std::uint32_t>(std::popcount(marks.all & before));
    }
    found.size +=
        write_places(marks.all, static_cast<std::uint32_t>(at), found.places.data() + found.size);
  };
  std::size_t at = begin;
  for (; at + kPiece <= end; at += kPiece) {
    add(at, marks_of_piece(bytes + at, separators, strange));
  }
  if (at == end) return !strange;
  std::array<char, kPiece> rest;
  rest.fill('a');
  std::memcpy(rest.data(), bytes + at, end - at);
  const std::uint64_t there = (std::uint64_t{1} << (end - at)) - 1;
  const PieceMarks marks = marks_of_piece(rest.data(), separators, strange);
  add(at, {marks.all & there, marks.newlines & there});
  return !strange;
}

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace dcmrank {
namespace {
HWY_EXPORT(look_at);
}  // namespace

bool MarkFinder::look(const char* bytes, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(look_at)(bytes, begin, end, separators_, found_);
}

void MarkFinder::forget(std::size_t count, std::uint32_t offset) {
  auto& places = found_.places;
  for (std::size_t m = count; m < found_.size; ++m) places[m - count] = places[m] - offset;
  found_.size -= count;
  found_.newline_size = 0;
}

}  // namespace dcmrank

#endif  // HWY_ONCE

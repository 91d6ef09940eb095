#include "dcmrank/log/newlines.h"

#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define HWY_TARGET_INCLUDE "dcmrank/log/newlines.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPiece = 64;  // bytes, a bit of a word for each

// Which of 64 bytes are newlines; what else there is becomes known to `odd`.
std::uint64_t newlines_of_piece(const char* bytes, Oddities& odd) {
  const hn::CappedTag<std::int8_t, kPiece> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto newline = hn::Set(d, static_cast<std::int8_t>('\n'));
  const auto carriage_return = hn::Set(d, static_cast<std::int8_t>('\r'));
  const auto quote = hn::Set(d, static_cast<std::int8_t>('"'));
  const auto one = hn::Set(d, static_cast<std::int8_t>(1));
  std::array<std::uint8_t, 16> bits{};  // StoreMaskBits may write 8 bytes at a time
  auto strange = hn::Lt(one, one);
  auto quotes = strange;
  for (std::size_t i = 0; i < kPiece; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const std::int8_t*>(bytes) + i);
    strange = hn::Or(strange, hn::Or(hn::Lt(v, one), hn::Eq(v, carriage_return)));
    quotes = hn::Or(quotes, hn::Eq(v, quote));
    hn::StoreMaskBits(d, hn::Eq(v, newline), bits.data() + i / 8);
  }
  odd.strange = odd.strange || !hn::AllFalse(d, strange);
  odd.quotes = odd.quotes || !hn::AllFalse(d, quotes);
  std::uint64_t newlines = 0;
  std::memcpy(&newlines, bits.data(), sizeof newlines);
  return newlines;
}

Oddities look_at(const char* bytes, std::size_t begin, std::size_t end, Newlines::Found& found) {
  Oddities odd;
  const auto add = [&](std::size_t at, std::uint64_t newlines) {
    if (found.places.size() - found.size < kPiece) {
      found.places.resize(2 * found.places.size() + kPiece);
    }
    for (; newlines != 0; newlines &= newlines - 1) {
      found.places[found.size++] =
          static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(newlines));
    }
  };
  std::size_t at = begin;
  for (; at + kPiece <= end; at += kPiece) add(at, newlines_of_piece(bytes + at, odd));
  if (at == end) return odd;
  std::array<char, kPiece> rest;
  rest.fill('a');
  std::memcpy(rest.data(), bytes + at, end - at);
  add(at, newlines_of_piece(rest.data(), odd));
  return odd;
}

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace dcmrank {
namespace {
HWY_EXPORT(look_at);
}  // namespace

Oddities Newlines::look(const char* bytes, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(look_at)(bytes, begin, end, found_);
}

}  // namespace dcmrank

#endif  // HWY_ONCE

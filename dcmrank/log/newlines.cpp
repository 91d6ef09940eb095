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

// Marks the separators among 64 bytes in the word of that number, and returns a bit for each
// newline; what else there is becomes known to `odd`.
std::uint64_t look_at_piece(const char* bytes, std::size_t word, Newlines::Found& found,
                            Oddities& odd) {
  const hn::CappedTag<std::int8_t, kPiece> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto all_of = [d](char c) { return hn::Set(d, static_cast<std::int8_t>(c)); };
  const auto newline = all_of('\n');
  const auto first = all_of(found.separators[0]);
  const auto second = all_of(found.separators[1]);
  const auto carriage_return = all_of('\r');
  const auto quote = all_of('"');
  const auto one = all_of('\1');
  // StoreMaskBits may write 8 bytes at a time.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  std::array<std::array<std::uint8_t, 16>, 3> bits;
  auto strange = hn::Lt(one, one);
  auto quotes = strange;
  for (std::size_t i = 0; i < kPiece; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const std::int8_t*>(bytes) + i);
    strange = hn::Or(strange, hn::Or(hn::Lt(v, one), hn::Eq(v, carriage_return)));
    quotes = hn::Or(quotes, hn::Eq(v, quote));
    hn::StoreMaskBits(d, hn::Eq(v, newline), bits[0].data() + i / 8);
    hn::StoreMaskBits(d, hn::Eq(v, first), bits[1].data() + i / 8);
    hn::StoreMaskBits(d, hn::Eq(v, second), bits[2].data() + i / 8);
  }
  odd.strange = odd.strange || !hn::AllFalse(d, strange);
  odd.quotes = odd.quotes || !hn::AllFalse(d, quotes);
  std::uint64_t newlines = 0;
  std::memcpy(&newlines, bits[0].data(), sizeof newlines);
  std::memcpy(&found.marks[0][word], bits[1].data(), sizeof newlines);
  std::memcpy(&found.marks[1][word], bits[2].data(), sizeof newlines);
  return newlines;
}

void add_newlines(std::size_t at, std::uint64_t newlines, Newlines::Found& found) {
  if (found.places.size() - found.lines < kPiece) {
    found.places.resize(2 * found.places.size() + kPiece);
  }
  for (; newlines != 0; newlines &= newlines - 1) {
    found.places[found.lines++] =
        static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(newlines));
  }
}

// Whole pieces from the start of the text, the first of which may begin before `begin`.
Oddities look_at(const char* bytes, std::size_t begin, std::size_t end, Newlines::Found& found) {
  for (auto& marks : found.marks) {
    if (marks.size() < end / kPiece + 2) marks.resize(end / kPiece + 2);
  }
  Oddities odd;
  std::uint64_t wanted = ~std::uint64_t{0} << begin % kPiece;
  std::size_t at = begin - begin % kPiece;
  for (; at + kPiece <= end; at += kPiece) {
    add_newlines(at, look_at_piece(bytes + at, at / kPiece, found, odd) & wanted, found);
    wanted = ~std::uint64_t{0};
  }
  if (at == end) return odd;
  std::array<char, kPiece> rest{};
  rest.fill('a');
  std::memcpy(rest.data(), bytes + at, end - at);
  add_newlines(at, look_at_piece(rest.data(), at / kPiece, found, odd) & wanted, found);
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

Newlines::Newlines(std::string_view separators) {
  if (!separators.empty()) found_.separators = {separators.front(), separators.back()};
}

Oddities Newlines::look(const char* bytes, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(look_at)(bytes, begin, end, found_);
}

}  // namespace dcmrank

#endif  // HWY_ONCE

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dcmrank {

/// Where it is said that a text is padded, as many bytes behind it may be read, whatever they are.
inline constexpr std::size_t kPadding = 64;

/// Calls found(i) for every i with text[i] == wanted, increasing.
template <class Found>
void find_each(std::string_view text, char wanted, Found found) {
  std::size_t i = 0;
#if defined(__SSE2__)
  const auto matches = [&](std::size_t at) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    return static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted))));
  };
  const auto report = [&](std::uint32_t mask, std::size_t at) {
    for (; mask != 0; mask &= mask - 1)
      found(at + static_cast<std::size_t>(std::countr_zero(mask)));
  };
  for (; i + 16 <= text.size(); i += 16) report(matches(i), i);
  if (text.size() >= 16) {  // the last 16, some of which were already looked at
    const std::size_t left = text.size() - i;
    if (left > 0) report(matches(text.size() - 16) >> (16 - left), i);
    return;
  }
#endif
  for (; i < text.size(); ++i) {
    if (text[i] == wanted) found(i);
  }
}

/// Splits a line into `fields`, which keeps its memory from line to line.
inline void split_fields(std::string_view text, char separator,
                         std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t start = 0;
  find_each(text, separator, [&](std::size_t at) {
    fields.emplace_back(text.data() + start, at - start);
    start = at + 1;
  });
  fields.emplace_back(text.data() + start, text.size() - start);
}

/// Finds a character that is likely to be near the start.
inline std::size_t find_near(std::string_view text, char wanted) {
#if defined(__SSE2__)
  if (text.size() >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data()));
    const auto mask =
        static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted))));
    if (mask != 0) return static_cast<std::size_t>(std::countr_zero(mask));
  }
#endif
  return text.find(wanted);
}

/// Moves the text before the first separator from `rest` to `field`; false if there is none.
inline bool cut_field(std::string_view& rest, char separator, std::string_view& field) {
  const std::size_t end = find_near(rest, separator);
  if (end == std::string_view::npos) return false;
  field = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

inline bool all_digits(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace dcmrank

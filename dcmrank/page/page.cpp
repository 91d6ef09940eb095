#include "dcmrank/page/page.h"

#include <array>
#include <bit>
#include <stdexcept>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dcmrank {
namespace {

bool any_two_equal(std::span<const Id> items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (items[i] == items[j]) return true;
    }
  }
  return false;
}

// A hash of 16 bits, the last of which is set.
[[maybe_unused]] std::uint16_t short_hash(const Id& id) {
  return static_cast<std::uint16_t>(((id.first ^ id.second) * kGolden) >> 48U | 1U);
}

#if defined(__SSE2__)
// Whether two of at most 16 items may be the same: the hashes, in a ring, are compared with those
// one to eight places on. Free places have hashes that differ from all.
bool may_repeat(std::span<const Id> items) {
  static constexpr std::size_t kRing = 16;
  std::array<std::uint16_t, kRing + 8> ring{0,  2,  4,  6,  8,  10, 12, 14,
                                            16, 18, 20, 22, 24, 26, 28, 30};
  for (std::size_t k = 0; k < items.size(); ++k) ring[k] = short_hash(items[k]);
  std::copy_n(ring.begin(), 8, ring.begin() + kRing);
  const auto at = [&](std::size_t k) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&ring[k]));
  };
  const __m128i low = at(0);
  const __m128i high = at(8);
  __m128i same = _mm_setzero_si128();
  for (std::size_t on = 1; on <= 8; ++on) {
    same = _mm_or_si128(same, _mm_cmpeq_epi16(low, at(on)));
    same = _mm_or_si128(same, _mm_cmpeq_epi16(high, at(8 + on)));
  }
  return _mm_movemask_epi8(same) != 0;
}
#endif

// Ids that differ mostly fall on different bits of a small table.
bool may_repeat_in_long(std::span<const Id> items) {
  std::array<std::uint64_t, 16> seen{};
  std::uint64_t shared = 0;
  for (const Id& item : items) {
    const std::uint64_t hash = (item.first ^ item.second) * kGolden;
    std::uint64_t& word = seen[hash >> 60U];
    const std::uint64_t bit = std::uint64_t{1} << (hash >> 54U & 63U);
    shared |= word & bit;
    word |= bit;
  }
  return shared != 0;
}

}  // namespace

// Only where two have the same hash are all pairs compared.
bool has_repeated_item(std::span<const Id> items) {
#if defined(__SSE2__)
  if (items.size() <= 16) return may_repeat(items) && any_two_equal(items);
#endif
  return may_repeat_in_long(items) && any_two_equal(items);
}

// Compares with all, without branches, which the processor cannot foretell.
std::optional<Skip> Page::click(const Id& clicked) {
  if (!finished_) throw std::logic_error("a click before the list is finished (finish_list)");
  std::size_t found = count_;
  for (std::size_t k = 0; k < count_; ++k) {
    const bool same =
        ((items_[k].first ^ clicked.first) | (items_[k].second ^ clicked.second)) == 0;
    found = same ? k : found;
  }
  if (found == count_) return Skip::kClickNotShown;
  if (!clicked.is_short()) {  // those of equal hash
    found = 0;
    while (found < count_ && items_[found] != clicked) ++found;
    if (found == count_) return Skip::kClickNotShown;
  }
  if (clicks_[found] != 0) return Skip::kRepeatedClick;
  clicks_[found] = 1;
  clicked_ |= std::uint64_t{1} << (found % kClickedBits);
  last_clicked_ = found;
  ++click_count_;
  return std::nullopt;
}

// Leaves a page without clicks.
void Page::hand_over(ImpressionSink& sink, std::uint64_t clicked, std::uint32_t times) {
  if (times == 0) return;
  clicks_.assign(count_, 0);
  for (; clicked != 0; clicked &= clicked - 1) {
    clicks_[static_cast<std::size_t>(std::countr_zero(clicked))] = 1;
  }
  sink.add_repeated(remembered_impression(), times);
  clicks_.assign(count_, 0);
}

void Page::put_off_several(ImpressionSink& sink) {
  if (count_ > kClickedBits) return sink.add(remembered_impression());
  if (several_.empty()) several_.resize(kSeveral);
  SeveralClicks& same = several_[(clicked_ * kGolden) >> 60U];
  if (same.clicked != clicked_ || same.times == ImpressionSink::kMostRepeats) {
    hand_over(sink, same.clicked, same.times);
    same = {clicked_, 0};
  }
  ++same.times;
}

void Page::catch_up(ImpressionSink& sink) {
  for (std::size_t k = 0; k < put_off_.size(); ++k) {
    if (put_off_[k] == 0) continue;
    clicks_.assign(count_, 0);
    if (k < count_) clicks_[k] = 1;
    sink.add_repeated(remembered_impression(), put_off_[k]);
  }
  if (!put_off_.empty()) clicks_.assign(count_, 0);
  put_off_.clear();
  for (const SeveralClicks& same : several_) hand_over(sink, same.clicked, same.times);
  several_.clear();
}

}  // namespace dcmrank

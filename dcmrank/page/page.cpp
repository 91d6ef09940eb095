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

// Ids that differ mostly fall on different bits of a small table.
bool may_repeat(std::span<const Id> items) {
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

using Lanes [[gnu::vector_size(16)]] = std::uint16_t;

Lanes lanes_at(const std::uint16_t* hashes) {
  Lanes lanes;
  std::memcpy(&lanes, hashes, sizeof lanes);
  return lanes;
}

// A bit for each of 16 lanes that are all ones or zeros.
std::uint32_t bits_of_lanes(Lanes low, Lanes high) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_packs_epi16(std::bit_cast<__m128i>(low), std::bit_cast<__m128i>(high));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
#else
  std::uint32_t bits = 0;
  for (unsigned k = 0; k < 8; ++k) bits |= (low[k] & 1U) << k | (high[k] & 1U) << (8 + k);
  return bits;
#endif
}

// The last bit is set, so that it is no number of a free place.
std::uint16_t short_hash(const Id& id) {
  return static_cast<std::uint16_t>(((id.first ^ id.second) * kGolden) >> 48U | 1U);
}

}  // namespace

// The hashes, in a ring, are compared with those one to eight places on. Free places have numbers
// that differ from all.
bool ShortHashes::set(std::span<const Id> items) {
  if (items.size() > kMost) return true;
  static constexpr std::array<std::uint16_t, kMost> kFree{0,  2,  4,  6,  8,  10, 12, 14,
                                                          16, 18, 20, 22, 24, 26, 28, 30};
  std::copy_n(kFree.begin(), kMost, hashes_.begin());
  for (std::size_t k = 0; k < items.size(); ++k) hashes_[k] = short_hash(items[k]);
  const Lanes low = lanes_at(hashes_.data());
  const Lanes high = lanes_at(&hashes_[kAround]);
  std::memcpy(&hashes_[kMost], &low, sizeof low);
  Lanes same{};
  for (std::size_t on = 1; on <= kAround; ++on) {
    same |= (low == lanes_at(&hashes_[on])) | (high == lanes_at(&hashes_[kAround + on]));
  }
  return bits_of_lanes(same, same) != 0;
}

std::uint32_t ShortHashes::like(const Id& id) const {
  const Lanes wanted = Lanes{} + short_hash(id);
  return bits_of_lanes(lanes_at(hashes_.data()) == wanted, lanes_at(&hashes_[kAround]) == wanted);
}

// Only where two may be the same are all pairs compared.
bool has_repeated_item(std::span<const Id> items) {
  return may_repeat(items) && any_two_equal(items);
}

// The place of an item, or count_.
std::size_t Page::find(const Id& id) const {
  if (count_ <= ShortHashes::kMost) {
    for (std::uint32_t like = hashes_.like(id); like != 0; like &= like - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(like));
      if (items_[k] == id) return k;
    }
    return count_;
  }
  const auto all = items();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), id) - all.begin());
}

std::optional<Skip> Page::click(const Id& clicked) {
  if (!finished_) throw std::logic_error("a click before the list is finished (finish_list)");
  const std::size_t found = find(clicked);
  if (found == count_) return Skip::kClickNotShown;
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
  clear_clicks();
  for (; clicked != 0; clicked &= clicked - 1) {
    clicks_[static_cast<std::size_t>(std::countr_zero(clicked))] = 1;
  }
  sink.add_repeated(remembered_impression(), times);
  clear_clicks();
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
    clear_clicks();
    if (k < count_) clicks_[k] = 1;
    sink.add_repeated(remembered_impression(), put_off_[k]);
  }
  if (!put_off_.empty()) clear_clicks();
  put_off_.clear();
  for (const SeveralClicks& same : several_) hand_over(sink, same.clicked, same.times);
  several_.clear();
}

}  // namespace dcmrank

#include "dcmrank/page/known_pages.h"

#include <algorithm>
#include <array>

namespace dcmrank {
namespace {

constexpr std::uint64_t kFactor = 0x9fb21c651e98df25U;

// Bytes of the text at `at`, those beyond its end as zeros.
std::uint64_t word_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const std::size_t left = text.size() - at;
  return load<8>(text.data() + at) & kFirstBytes[left < 8 ? left : 8];
}

}  // namespace

// Four lanes, so that multiplications overlap.
std::uint64_t hash_text(std::string_view text) {
  std::array<std::uint64_t, 4> lanes{text.size(), 1, 2, 3};
  const auto mix = [&](std::size_t lane, std::uint64_t word) {
    const std::uint64_t product = (lanes[lane] ^ word) * kFactor;
    lanes[lane] = product ^ (product >> 32U);
  };
  std::size_t at = 0;
  for (; at + 32 <= text.size(); at += 32) {
    for (std::size_t lane = 0; lane < 4; ++lane) mix(lane, load<8>(text.data() + at + 8 * lane));
  }
  for (std::size_t lane = 0; lane < 4; ++lane) mix(lane, word_at(text, at + 8 * lane));
  const std::uint64_t first = (lanes[0] ^ lanes[1] * kGolden) * kFactor;
  const std::uint64_t second = (lanes[2] ^ lanes[3] * kGolden) * kGolden;
  return mix64(first ^ (second >> 17U) ^ second);
}

Page& KnownPages::start_other(std::string_view text) {
  other_.start(text);
  page_ = &other_;
  return other_;
}

void KnownPages::count_found() {
  if (found_ < kLeastFound) {
    left_alone_ = next_left_alone_;
    next_left_alone_ = std::min(kMostLeftAlone, 2 * next_left_alone_);
  }
  tries_ = 0;
  found_ = 0;
}

void KnownPages::finish() {
  if (!puts_off_) return;
  for (Page& page : pages_) page.catch_up(*sink_);
}

Page& KnownPages::page_of(std::string_view text, bool& known) {
  known = false;
  known_ = false;
  if (text.size() > kLongest) return start_other(text);
  if (left_alone_ > 0) {
    --left_alone_;
    return start_other(text);
  }
  if (pages_.empty()) {
    hashes_.resize(kPages);
    credits_.resize(kPages);
    pages_ = std::vector<Page>(kPages);
  }
  if (++tries_ == kTried) count_found();
  const std::uint64_t hash = hash_text(text);
  const std::size_t at = hash % kPages;
  if (hashes_[at] == hash && pages_[at].is_list_of(text)) {
    known = true;
    known_ = true;
    ++found_;
    credits_[at] = 2;
    pages_[at].show_again();
  } else if (credits_[at] > 0) {
    --credits_[at];
    return start_other(text);
  } else {
    hashes_[at] = hash;
    if (puts_off_) pages_[at].catch_up(*sink_);
    pages_[at].start(text);
  }
  page_ = &pages_[at];
  return *page_;
}

}  // namespace dcmrank

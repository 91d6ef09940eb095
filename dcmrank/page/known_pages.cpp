#include "dcmrank/page/known_pages.h"

#include <algorithm>

namespace dcmrank {
namespace {

// Bytes of the text at `at`, those beyond its end as zeros.
std::uint64_t word_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const std::size_t left = text.size() - at;
  return load<8>(text.data() + at) & kFirstBytes[left < 8 ? left : 8][0];
}

// Both halves of a product, in each of which are all bits of both words.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

constexpr std::uint64_t kFirstKey = 0x9fb21c651e98df25U;
constexpr std::uint64_t kSecondKey = 0xbf58476d1ce4e5b9U;

}  // namespace

// As wyhash does it, in two lanes, so that multiplications overlap. The last words may overlap
// those before.
std::uint64_t hash_text(std::string_view text) {
  const char* const p = text.data();
  const std::size_t n = text.size();
  std::uint64_t first = n;
  std::uint64_t second = kGolden;
  if (n < 32) {
    first = fold(word_at(text, 0) ^ kFirstKey, word_at(text, 8) ^ first);
    second = fold(word_at(text, 16) ^ kSecondKey, word_at(text, 24) ^ second);
    return mix64(first ^ (second * kGolden));
  }
  const auto add = [&](std::size_t at) {
    first = fold(load<8>(p + at) ^ kFirstKey, load<8>(p + at + 8) ^ first);
    second = fold(load<8>(p + at + 16) ^ kSecondKey, load<8>(p + at + 24) ^ second);
  };
  for (std::size_t at = 0; at + 32 < n; at += 32) add(at);
  add(n - 32);
  return mix64(first ^ (second * kGolden));
}

Page& KnownPages::start_other(std::string_view text) {
  kept_ = false;
  page_ = &others_[waiting_];
  page_->start(text);
  return *page_;
}

void KnownPages::hand_over_waiting() {
  for (std::size_t n = 0; n < waiting_; ++n) impressions_[n] = others_[n].impression();
  sink_->add_several(std::span(impressions_).first(waiting_));
  waiting_ = 0;
}

void KnownPages::count_found() {
  full_ = found_ >= (full_ ? kLeastFound : kLeastAtFirst);
  if (!full_) {
    left_alone_ = next_left_alone_;
    next_left_alone_ = std::min(kMostLeftAlone, 2 * next_left_alone_);
  }
  tries_ = 0;
  found_ = 0;
}

void KnownPages::finish() {
  if (!puts_off_) return;
  hand_over_waiting();
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
  kept_ = true;
  page_ = &pages_[at];
  return *page_;
}

}  // namespace dcmrank

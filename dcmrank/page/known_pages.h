#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dcmrank/page/page.h"

namespace dcmrank {

/// A hash of a padded text.
std::uint64_t hash_text(std::string_view text);

/// Pages by the text of their query and list: logs show the same list again and again, and what was
/// read of it once need not be read again. Two thousand are kept; where few lists come
/// again soon, none are looked for. One page is in use at a time.
///
/// Pages of a list that came before are handed to a sink that takes repeats together, those with
/// the same clicks at once: when the list makes room for another, or at the end. To such a sink the
/// others go several at a time, too.
class KnownPages {
 public:
  /// `sink`: where pages are handed over; it may be missing if none are.
  explicit KnownPages(ImpressionSink* sink = nullptr)
      : sink_(sink), puts_off_(sink != nullptr && sink->takes_repeats()) {}

  /// The page of a padded text: `known`, shown again without clicks, or else started with it and
  /// yet to be read.
  Page& page_of(std::string_view text, bool& known);

  /// Whether the sink may look at sessions.
  bool needs_session() const { return !puts_off_; }
  /// Hands over the page in use, now or later.
  void hand_over(std::uint64_t session = 0) {
    if (known_ && puts_off_) return page_->put_off(*sink_);
    if (kept_ || !puts_off_) return sink_->add(impression(session));
    if (++waiting_ == kTogether) hand_over_waiting();
  }
  /// After the last page.
  void finish();

  /// Of the page in use.
  Impression impression(std::uint64_t session = 0) {
    return kept_ ? page_->remembered_impression(session) : page_->impression(session);
  }

 private:
  static constexpr std::size_t kPages = 2048;          // which the processor's own memory holds
  static constexpr std::size_t kTogether = 8;          // handed over at once
  static constexpr std::size_t kLongest = 4096;        // bytes of a text that is kept
  static constexpr std::uint32_t kTried = 512;         // pages after which the found are counted
  static constexpr std::uint32_t kLeastAtFirst = 100;  // of these, for the search to go on
  static constexpr std::uint32_t kLeastFound = 352;    // when pages_ have been filled; then it pays
  static constexpr std::uint32_t kMostLeftAlone = 1U << 18U;

  Page& start_other(std::string_view text);
  void count_found();
  void hand_over_waiting();

  std::vector<std::uint64_t> hashes_;  // of the texts of pages_
  std::vector<std::uint8_t>
      credits_;  // how often each may be missed before another takes its place
  std::vector<Page> pages_;
  std::array<Page, kTogether> others_;             // what is not kept
  std::size_t waiting_ = 0;                        // of these, to be handed over
  std::array<Impression, kTogether> impressions_;  // the same, as they are handed over
  Page* page_ = others_.data();
  bool kept_ = false;   // the page in use is of pages_
  bool known_ = false;  // and came before
  ImpressionSink* sink_;
  bool puts_off_;
  std::uint32_t tries_ = 0;
  std::uint32_t found_ = 0;
  bool full_ = false;                     // pages_ hold what came in the tries before
  std::uint32_t left_alone_ = 0;          // pages that are not searched for
  std::uint32_t next_left_alone_ = 4096;  // how many, if few are found
};

}  // namespace dcmrank

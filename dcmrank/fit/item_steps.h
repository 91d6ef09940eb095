#pragma once

#include <cstddef>
#include <cstdint>

#include "dcmrank/page/impression.h"

namespace dcmrank {

/// What a page adds to the six counts of the item at each position, all six at once: impressions,
/// observed and attracted up to the last click, the same up to the first, last clicks. From the
/// top, without branches on what users did, which the processor cannot foretell.
class ItemSteps {
 public:
  using Lanes [[gnu::vector_size(16)]] = std::int16_t;

  /// `observed`: how many positions are certain to be examined, `to_first`: how many in the cascade
  /// model; `first` and `last`: the clicked positions from 1, 0 for none. At most 2^14 `times`.
  ItemSteps(std::size_t observed, std::size_t to_first, std::size_t first, std::size_t last,
            std::uint32_t times)
      : ends_{INT16_MAX, lane(observed), 0, lane(to_first), lane(first), lane(last), 0, 0},
        reached_(ends_ > Lanes{}),
        times_(Lanes{} + lane(times)) {}

  /// Of the next position.
  Lanes next(bool clicked) {
    constexpr Lanes kOne{1, 1, 1, 1, 1, 1, 1, 1};
    constexpr Lanes kAlone{0, 0, 0, 0, -1, -1, 0, 0};  // only the position where they end
    position_ += kOne;
    const Lanes further = ends_ > position_;
    Lanes added = reached_ & ~(further & kAlone) & times_;
    added[2] = static_cast<std::int16_t>(clicked ? times_[0] : 0);
    reached_ = further;
    return added;
  }

 private:
  static std::int16_t lane(std::size_t value) { return static_cast<std::int16_t>(value); }

  Lanes ends_;
  Lanes position_{};
  Lanes reached_;
  Lanes times_;
};

}  // namespace dcmrank

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/select/kl_ucb_plane.h"

namespace dcmrank {

/// The planes of the few items of a list, as columns, for vector instructions.
class KlUcbColumns {
 public:
  explicit KlUcbColumns(std::size_t size)
      : size_(size),
        quads_((size + kQuad - 1) / kQuad),
        items_(quads_.size() * kQuad),
        upper_(items_.size() + 1),
        lower_(items_.size()) {}

  /// Makes this item the i-th.
  void put(std::size_t i, Item item, const KlUcbPlane& plane);
  /// By how much the budget of the i-th exceeds the clock; 0 to begin with.
  void lead(std::size_t i, double ahead) { quads_[i / kQuad].ahead[i % kQuad] = ahead; }

  /// Whether the indices of the items are certainly decreasing, and the last is above `rest`.
  /// `counts` are those of all items.
  bool are_in_order(double clock, const Counts* counts, double rest);

  /// The bounds of the i-th by which are_in_order() decided; NaN if nothing was observed.
  double upper(std::size_t i) const { return upper_[i]; }
  double lower(std::size_t i) const { return lower_[i]; }

  static constexpr std::size_t kQuad = 4;
  using Column = std::array<double, kQuad>;

  /// Four planes.
  struct alignas(32) Quad {
    Column base{};
    Column by_mean{};
    Column by_budget{};
    Column q{};
    Column mean{};
    Column sway{};
    Column mean_reach{};
    Column bend{};
    Column reach{};
    Column ahead{};
  };

 private:
  std::size_t size_;
  std::vector<Quad> quads_;
  std::vector<Item> items_;
  std::vector<double> upper_;
  std::vector<double> lower_;
};

}  // namespace dcmrank

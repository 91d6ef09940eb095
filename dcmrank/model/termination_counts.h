#pragma once

namespace dcmrank {

/// What has been seen of the termination at one position: `clicked` users clicked there with
/// something below it on the screen, and `terminated` of them left (N_k and B_k). A monoid under
/// merge; `terminated` is fractional, since whether the last click ended the visit is known only
/// with a probability.
struct TerminationCounts {
  double clicked = 0;
  double terminated = 0;

  void merge(const TerminationCounts& other) {
    clicked += other.clicked;
    terminated += other.terminated;
  }

  bool operator==(const TerminationCounts&) const = default;
};

}  // namespace dcmrank

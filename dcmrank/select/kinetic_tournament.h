#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dcmrank {

/// The highest of many lines as their common variable, the clock, advances (a kinetic tournament;
/// Basch, Guibas and Hershberger, SODA 1997): a binary tree of matches, each with the clock at
/// which its result turns. Advancing plays only the matches that turn; a line that changes plays
/// those on its way to the root. Lines are known by number; `Height` is a function (line, clock).
class KineticTournament {
 public:
  using Line = std::uint32_t;

  /// The lines 0, ..., size - 1. O(size).
  template <class Height>
  void build(std::size_t size, double clock, Height height) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(size, 2));
    matches_.assign(2 * leaves_, {});
    for (std::size_t i = 0; i < leaves_; ++i) {
      matches_[leaves_ + i].winner = i < size ? static_cast<Line>(i) : kNobody;
    }
    for (std::size_t n = leaves_ - 1; n > 0; --n) play(n, clock, height);
  }

  std::size_t capacity() const { return leaves_; }

  /// This line has changed (or is new; below capacity()).
  template <class Height>
  void change(Line line, double clock, Height height) {
    matches_[leaves_ + line].winner = line;
    for (std::size_t n = (leaves_ + line) / 2; n > 0; n /= 2) play(n, clock, height);
  }

  /// After the changes of a round: the clock never goes back.
  template <class Height>
  void advance(double clock, Height height) {
    advance(1, clock, height);
  }

  /// Calls use(line, height) for the lines from the highest down, until it returns false. O(log
  /// capacity) per line.
  template <class Height, class Use>
  void from_the_top(double clock, Height height, Use use) {
    room_.clear();
    enter(1, clock, height);
    while (!room_.empty()) {
      std::pop_heap(room_.begin(), room_.end());
      const Waiting best = room_.back();
      room_.pop_back();
      if (!use(matches_[best.match].winner, best.height)) return;
      // Those that it beat on its way.
      const std::size_t leaf = leaves_ + matches_[best.match].winner;
      for (std::size_t n = leaf; n != best.match; n /= 2) enter(n ^ 1, clock, height);
    }
  }

 private:
  static constexpr Line kNobody = std::numeric_limits<Line>::max();
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Match {
    double until = kNever;  // the least clock at which it, or one below it, turns
    Line winner = kNobody;
  };
  struct Waiting {
    double height;
    std::size_t match;
    bool operator<(const Waiting& other) const { return height < other.height; }
  };

  template <class Height>
  void play(std::size_t n, double clock, Height height) {
    const Match& a = matches_[2 * n];
    const Match& b = matches_[2 * n + 1];
    Match& result = matches_[n];
    result.until = std::min(a.until, b.until);
    if (a.winner == kNobody || b.winner == kNobody) {
      result.winner = a.winner == kNobody ? b.winner : a.winner;
      return;
    }
    const double lead = height(a.winner, clock) - height(b.winner, clock);
    const double gain = height.slope(b.winner) - height.slope(a.winner);
    const bool first = lead > 0 || (lead == 0 && gain <= 0);
    result.winner = first ? a.winner : b.winner;
    // The loser catches up only if it is steeper.
    if (first ? gain > 0 : gain < 0) result.until = std::min(result.until, clock + lead / gain);
  }

  template <class Height>
  void advance(std::size_t n, double clock, Height height) {
    if (matches_[n].until > clock) return;
    advance(2 * n, clock, height);
    advance(2 * n + 1, clock, height);
    play(n, clock, height);
  }

  template <class Height>
  void enter(std::size_t n, double clock, Height height) {
    if (matches_[n].winner == kNobody) return;
    room_.push_back({height(matches_[n].winner, clock), n});
    std::push_heap(room_.begin(), room_.end());
  }

  std::size_t leaves_ = 0;
  std::vector<Match> matches_;  // n: winners of 2 n and 2 n + 1; from leaves_ on, the lines
  std::vector<Waiting> room_;
};

}  // namespace dcmrank

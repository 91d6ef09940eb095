#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dcmrank/service/work.h"

namespace dcmrank::service {

/// Lists that came faster than they are stored, in the order in which they came. Those that
/// somebody waits for, or that events are about, can be taken before their turn. One thread.
class Backlog {
 public:
  using Place = std::int64_t;  // grows with each list

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Of the first one that waits.
  Place first() const { return first_; }
  /// Of the next one that comes.
  Place end() const { return first_ + static_cast<Place>(lists_.size()); }

  void add(std::vector<Shown> lists);
  /// What was taken and not stored; it comes before all others.
  void put_back(std::vector<Shown> lists);

  /// The first ones, at most so many, and those that are in haste.
  std::vector<Shown> take(std::size_t most, std::span<const Feedback> feedback);

 private:
  void look_up();
  void mark(Place place);
  Shown take_out(Place place);

  std::deque<std::optional<Shown>> lists_;  // nothing where one was taken before its turn
  Place first_ = 0;
  std::size_t size_ = 0;
  std::vector<Place> awaited_;  // those that somebody waits for
  // By what events call them; of those before `known_`. Made when it is first needed.
  std::unordered_multimap<std::uint64_t, Place> places_;
  Place known_ = 0;
};

}  // namespace dcmrank::service

#include "dcmrank/service/overdue.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace dcmrank::service {

std::shared_ptr<Overdue::Awaited> Overdue::add(Refuse refuse, Clock::time_point since) {
  auto one = std::make_shared<Awaited>(since, std::move(refuse));
  const std::lock_guard lock(mutex_);
  auto place = awaited_.end();
  while (place != awaited_.begin() && (*std::prev(place))->since_ > since) --place;
  awaited_.insert(place, one);
  return one;
}

void Overdue::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
}

void Overdue::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  resumed_ = Clock::now();
}

void Overdue::expire(const Reason& why) {
  std::vector<Refuse> late;
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    while (!awaited_.empty()) {
      Awaited& first = *awaited_.front();
      const bool waits = paused_ || now - std::max(first.since_, resumed_) < patience_;
      if (waits && !first.given_) break;
      if (!first.given_.exchange(true)) late.push_back(std::move(first.refuse_));
      awaited_.pop_front();
    }
  }
  for (const Refuse& refuse : late) refuse(why);
}

}  // namespace dcmrank::service

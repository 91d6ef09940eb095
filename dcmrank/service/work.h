// What the writer is given to do.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcmrank/service/overdue.h"
#include "dcmrank/service/teacher.h"

namespace dcmrank::service {

/// Events of one request. `done` is called once, on the writer's thread, when they are durable or
/// could not be made so (`results` is empty then).
struct Feedback {
  std::vector<Event> events;
  Caller caller;
  std::function<void(std::vector<EventResult> results, const Reason& failure)> done;
  Overdue::Clock::time_point since = Overdue::Clock::now();  // when its caller began to wait

  std::size_t bytes() const;

  std::vector<std::optional<EventResult>> results{};  // those that are durable, so far
  std::shared_ptr<Overdue::Awaited> awaited{};        // where the store is shared
};

/// A list on its way to the store. `done`, where there is one, is called once when it is durable or
/// could not be made so (`failure` says why then).
struct Shown {
  NewImpression impression;
  std::string caller;
  std::function<void(const Reason& failure)> done;
  Overdue::Clock::time_point since = Overdue::Clock::now();  // when its caller began to wait

  enum class Fate { kWaits, kStored, kRefused };
  Fate fate = Fate::kWaits;
  Reason refusal{};  // where it is refused
};

/// Other work for the writer: runs in a transaction of its own, perhaps several times; `done` as
/// above, with what it threw.
struct Job {
  std::function<void(Teacher&)> work;
  std::function<void(std::exception_ptr)> done;
  /// When its caller began to wait, where that is to have an end as for those above.
  std::optional<Overdue::Clock::time_point> since{};
};

}  // namespace dcmrank::service

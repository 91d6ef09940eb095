#include "dcmrank/base/blame.h"

#include <mutex>
#include <utility>

namespace dcmrank {
namespace {

// An exception keeps its place while it flies, also from thread to thread. One that has landed may
// leave its place to another: their messages tell them apart.
struct Note {
  std::mutex mutex;
  const void* place = nullptr;
  std::string message;
  std::string who;
};

Note& note() {
  static Note last;
  return last;
}

const void* place_of(const std::exception& error) { return dynamic_cast<const void*>(&error); }

}  // namespace

void blame(const std::exception& error, std::string who) {
  std::string message = error.what();  // before the lock: it may wait for one itself, as in Python
  Note& last = note();
  const std::lock_guard lock(last.mutex);
  last.place = place_of(error);
  last.message = std::move(message);
  last.who = std::move(who);
}

std::string told(const std::exception& error) {
  std::string message = error.what();
  Note& last = note();
  const std::lock_guard lock(last.mutex);
  const bool known = last.place == place_of(error) && last.message == message;
  if (message.empty()) message = "an exception without a message";
  return known ? last.who + ": " + message : message;
}

}  // namespace dcmrank

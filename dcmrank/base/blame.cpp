#include "dcmrank/base/blame.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

// An exception keeps its place while it flies, also from thread to thread. One that has landed may
// leave its place to another: their messages tell them apart.
struct Note {
  const void* place = nullptr;
  std::string message;
  std::string who;
};

// Of those that were noted last: each thread may have one in flight.
struct Notes {
  static constexpr std::size_t kMost = 1024;

  std::mutex mutex;
  std::vector<Note> notes;
  std::size_t oldest = 0;  // where there are kMost

  Note* find(const void* place) {
    const auto is_of = [&](const Note& note) { return note.place == place; };
    const auto note = std::find_if(notes.begin(), notes.end(), is_of);
    return note == notes.end() ? nullptr : &*note;
  }
  Note& make_room() {
    if (notes.size() < kMost) return notes.emplace_back();
    Note& note = notes[oldest];
    oldest = (oldest + 1) % kMost;
    return note;
  }
};

Notes& all_notes() {
  static Notes notes;
  return notes;
}

const void* place_of(const std::exception& error) { return dynamic_cast<const void*>(&error); }

}  // namespace

void blame(const std::exception& error, std::string who) {
  std::string message = error.what();  // before the lock: it may wait for one itself, as in Python
  Notes& notes = all_notes();
  const std::lock_guard lock(notes.mutex);
  Note* const same = notes.find(place_of(error));
  Note& note = same != nullptr ? *same : notes.make_room();
  note = Note{place_of(error), std::move(message), std::move(who)};
}

std::string told(const std::exception& error) {
  std::string message = error.what();
  Notes& notes = all_notes();
  const std::lock_guard lock(notes.mutex);
  const Note* const note = notes.find(place_of(error));
  const bool known = note != nullptr && note->message == message;
  if (message.empty()) message = "an exception without a message";
  return known ? note->who + ": " + message : message;
}

void rethrow_as_input_error(const std::string& who) {
  std::string message = "it threw something that is no std::exception";
  try {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {  // it is told by that
  }
  throw InputError(who + ": " + message);
}

}  // namespace dcmrank

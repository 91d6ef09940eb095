#include "dcmrank/log/lines.h"

#include <algorithm>
#include <cstring>

namespace dcmrank {

// What lies before begin_ is of no interest any more.
void Lines::look_again() {
  finder_.clear();
  plain_ = finder_.look(buffer_.data(), begin_, filled_);
  first_ = 0;
  mark_ = 0;
  newline_ = 0;
}

// Moves what is left to the front and reads on behind it.
bool Lines::refill() {
  const std::size_t left = filled_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, left);
  finder_.forget(first_, static_cast<std::uint32_t>(begin_));
  mark_ -= first_;
  first_ = 0;
  newline_ = 0;
  begin_ = 0;
  filled_ = left;
  if (left > buffer_.size() / 2) buffer_.resize(std::min(kBuffer, 2 * buffer_.size()));
  filled_ += source_->read(std::span(buffer_).subspan(left));
  if (plain_) {
    plain_ = finder_.look(buffer_.data(), left, filled_);
  } else {
    look_again();  // what was not plain may be gone
  }
  return filled_ > left;
}

bool Lines::next_across(std::string_view& line) {
  for (;;) {
    const std::size_t searched = filled_ - begin_;
    if (searched > kMaxLine) break;
    if (!refill()) {
      terminated_ = searched == 0;
      line = {buffer_.data() + begin_, searched};
      start_ = static_cast<std::uint32_t>(begin_);
      count_ = finder_.size() - first_;
      begin_ = filled_;
      consumed_ += searched;
      mark_ = finder_.size();
      return searched > 0;
    }
    if (newline_ < finder_.newlines()) {
      take(line);
      return true;
    }
  }
  // Overlong: its start is kept at the front of the buffer, the rest is read over.
  std::memmove(buffer_.data(), buffer_.data() + begin_, kMaxLine + 1);
  consumed_ += filled_ - begin_;
  line = {buffer_.data(), kMaxLine + 1};
  terminated_ = skip_rest();
  return true;
}

// Reads on to the next newline, behind the start of the line; false where the source ends first.
bool Lines::skip_rest() {
  char* const free = buffer_.data() + kMaxLine + 1;
  const std::size_t room = buffer_.size() - kMaxLine - 1;
  for (;;) {
    const std::size_t got = source_->read({free, room});
    const auto* newline = static_cast<const char*>(std::memchr(free, '\n', got));
    begin_ = newline == nullptr ? kMaxLine + 1 + got
                                : static_cast<std::size_t>(newline + 1 - buffer_.data());
    filled_ = kMaxLine + 1 + got;
    consumed_ += begin_ - (kMaxLine + 1);
    if (got > 0 && newline == nullptr) continue;
    look_again();
    count_ = 0;
    plain_ = false;  // of the line itself nothing is known
    return newline != nullptr;
  }
}

}  // namespace dcmrank

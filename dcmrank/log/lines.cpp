#include "dcmrank/log/lines.h"

#include <algorithm>
#include <cstring>

namespace dcmrank {

// What lies before begin_ is of no interest any more.
void Lines::look_again() {
  newlines_.clear();
  odd_ = newlines_.look(buffer_.data(), begin_, filled_);
  newline_ = 0;
}

// Moves what is left, in which there is no newline, to the front and reads on behind it.
bool Lines::refill() {
  const std::size_t left = filled_ - begin_;
  const bool moves = begin_ != 0;
  std::memmove(buffer_.data(), buffer_.data() + begin_, left);
  newlines_.clear();
  newline_ = 0;
  begin_ = 0;
  filled_ = left;
  if (left > room() / 2) buffer_.resize(std::min(kBuffer, 2 * room()) + kPadding);
  filled_ += source_->read(std::span(buffer_).first(room()).subspan(left));
  if (moves || odd_.strange || odd_.quotes) {
    look_again();  // separators are elsewhere, and what was odd may be gone
  } else {
    odd_ = newlines_.look(buffer_.data(), left, filled_);
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
      begin_ = filled_;
      consumed_ += searched;
      return searched > 0;
    }
    if (newline_ < newlines_.size()) {
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
  for (;;) {
    const std::size_t got = source_->read({free, room() - kMaxLine - 1});
    const auto* newline = static_cast<const char*>(std::memchr(free, '\n', got));
    begin_ = newline == nullptr ? kMaxLine + 1 + got
                                : static_cast<std::size_t>(newline + 1 - buffer_.data());
    filled_ = kMaxLine + 1 + got;
    consumed_ += begin_ - (kMaxLine + 1);
    if (got > 0 && newline == nullptr) continue;
    look_again();
    odd_ = {true, true};  // of the line itself nothing is known
    return newline != nullptr;
  }
}

}  // namespace dcmrank

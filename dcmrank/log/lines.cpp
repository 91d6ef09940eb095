#include "dcmrank/log/lines.h"

#include <algorithm>

namespace dcmrank {
namespace {

// Written so that it becomes vector code.
bool only_plain(const char* bytes, std::size_t n) {
  unsigned strange = 0;
  for (std::size_t i = 0; i < n; ++i) {
    strange |= static_cast<signed char>(bytes[i]) <= 0 || bytes[i] == '\r' ? 1U : 0U;
  }
  return strange == 0;
}

}  // namespace

// Moves what is left to the front and reads on behind it.
bool Lines::refill() {
  const std::size_t left = filled_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, left);
  begin_ = 0;
  filled_ = left;
  if (left > buffer_.size() / 2) buffer_.resize(std::min(kBuffer, 2 * buffer_.size()));
  filled_ += source_->read(std::span(buffer_).subspan(left));
  plain_ = only_plain(buffer_.data(), filled_);
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
    const char* from = buffer_.data() + begin_ + searched;
    const auto* newline =
        static_cast<const char*>(std::memchr(from, '\n', filled_ - begin_ - searched));
    if (newline != nullptr) {
      take(line, newline);
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
    plain_ = only_plain(buffer_.data(), filled_);
    if (got == 0 || newline != nullptr) return newline != nullptr;
  }
}

}  // namespace dcmrank

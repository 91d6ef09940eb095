#pragma once

#include <cstddef>

namespace dcmrank::service {

/// While one lives, what SQLite writes on this thread is handed to the disk bit by bit, with a rest
/// after each bit. Written at once and then synced, some hundred pages hold up the next sync of
/// every other file on the disk, and whoever copies them holds a processor. Nothing is durable
/// before it is synced, as ever.
class Trickle {
 public:
  Trickle();
  ~Trickle();
  Trickle(const Trickle&) = delete;
  Trickle& operator=(const Trickle&) = delete;
  Trickle(Trickle&&) = delete;
  Trickle& operator=(Trickle&&) = delete;

  /// How often it has rested.
  std::size_t rests() const { return rests_; }

  /// Call once, before SQLite opens its first file.
  static void prepare();

  /// Something was written on this thread.
  static void wrote(int file);

 private:
  Trickle* outer_;
  std::size_t writes_ = 0;
  std::size_t rests_ = 0;
};

}  // namespace dcmrank::service

#pragma once

#include <atomic>
#include <cstdint>

namespace dcmrank {

/// A number that tells an object from all others, and from itself before something else was
/// assigned to it: never 0. For who remembers what an object said.
class Identity {
 public:
  Identity() : number_(next()) {}
  ~Identity() = default;
  Identity(const Identity& /*other*/) : Identity() {}
  Identity(Identity&& other) noexcept : Identity() { other.number_ = next(); }
  Identity& operator=(const Identity& /*other*/) {
    number_ = next();
    return *this;
  }
  Identity& operator=(Identity&& other) noexcept {
    number_ = next();
    other.number_ = next();
    return *this;
  }

  std::uint64_t number() const { return number_; }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  std::uint64_t number_;
};

}  // namespace dcmrank

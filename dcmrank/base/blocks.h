#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace dcmrank {

/// A sequence that grows without being moved and without spare room: its elements, which begin as
/// zeros, stay where they are, in blocks. One thread at a time; const members from several.
template <class T>
class Blocks {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t kBlock = 256;  // elements; small tables are many

  Blocks() = default;
  ~Blocks() = default;
  Blocks(Blocks&&) noexcept = default;
  Blocks& operator=(Blocks&&) noexcept = default;
  Blocks(const Blocks& other) { *this = other; }
  Blocks& operator=(const Blocks& other) {
    if (this == &other) return *this;
    blocks_.clear();
    size_ = 0;
    for (std::size_t i = 0; i < other.size(); ++i) push_back(other[i]);
    return *this;
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return blocks_[i / kBlock].get()[i % kBlock]; }
  const T& operator[](std::size_t i) const { return blocks_[i / kBlock].get()[i % kBlock]; }

  void push_back(const T& value) {
    if (size_ % kBlock == 0) blocks_.push_back(new_block());
    blocks_.back().get()[size_ % kBlock] = value;
    ++size_;
  }

  /// The place of `n` new elements, at most kBlock, which are contiguous.
  std::size_t add_together(std::size_t n) {
    const std::size_t left = (kBlock - size_ % kBlock) % kBlock;
    if (left < n) {
      size_ += left;
      blocks_.push_back(new_block());
    }
    const std::size_t at = size_;
    size_ += n;
    return at;
  }

  /// Frees whole blocks before the i-th element, which must not be used any more.
  void forget_before(std::size_t i) {
    for (std::size_t b = 0; b < i / kBlock; ++b) blocks_[b].reset();
  }

 private:
  struct Free {
    void operator()(T* block) const { std::free(block); }
  };
  using Block = std::unique_ptr<T, Free>;

  static Block new_block() {
    Block block(static_cast<T*>(std::calloc(kBlock, sizeof(T))));
    if (!block) throw std::bad_alloc();
    return block;
  }

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace dcmrank

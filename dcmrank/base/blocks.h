#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include <sys/mman.h>

namespace dcmrank {

/// A sequence that grows without being moved and without spare room: its elements, which begin as
/// zeros, stay where they are, in blocks. What it gives back can be used by any thread. One thread
/// at a time; const members from several.
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
    pieces_.clear();
    forgotten_ = 0;
    size_ = 0;
    for (std::size_t i = 0; i < other.size(); ++i) push_back(other[i]);
    return *this;
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }

  void push_back(const T& value) {
    if (size_ % kBlock == 0) need_block();
    blocks_[size_ / kBlock][size_ % kBlock] = value;
    ++size_;
  }

  /// The place of `n` new elements, at most kBlock, which are contiguous.
  std::size_t add_together(std::size_t n) {
    const std::size_t left = (kBlock - size_ % kBlock) % kBlock;
    if (left < n) {
      size_ += left;
      need_block();
    }
    const std::size_t at = size_;
    size_ += n;
    return at;
  }

  /// Frees the memory of elements before the i-th, piece by piece; they must not be used any more.
  void forget_before(std::size_t i) {
    while (forgotten_ < pieces_.size() && pieces_[forgotten_].get_deleter().end <= i / kBlock) {
      pieces_[forgotten_++].reset();
    }
  }

 private:
  static constexpr std::size_t kFew = 64;  // blocks that are allocated one by one; others together
  static constexpr std::size_t kManyBytes = kFew * kBlock * sizeof(T);

  struct Free {
    std::size_t end;  // the number of blocks up to the end of this piece
    void operator()(T* piece) const {
      if (end <= kFew) {
        std::free(piece);  // NOLINT(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
      } else {
        ::munmap(piece, kManyBytes);
      }
    }
  };

  // A block behind all elements.
  void need_block() {
    const std::size_t have = blocks_.size();
    if (size_ / kBlock < have) return;
    const std::size_t more = have < kFew ? 1 : kFew;
    T* const piece = static_cast<T*>(have < kFew ? allocate_one() : map_many());
    if (piece == nullptr) throw std::bad_alloc();
    pieces_.emplace_back(piece, Free{have + more});
    for (std::size_t b = 0; b < more; ++b) blocks_.push_back(piece + b * kBlock);
  }

  // From the start of a cache line, so that no element of half a line is in two.
  static void* allocate_one() {
    static constexpr std::size_t kLine = 64;
    static_assert(kBlock % kLine == 0);
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
    void* const memory = std::aligned_alloc(kLine, kBlock * sizeof(T));
    if (memory != nullptr) std::memset(memory, 0, kBlock * sizeof(T));
    return memory;
  }

  // Zeros that the system has anyway: nothing is written before it is used.
  // From the system, and back to it: what malloc is given back by one thread, another cannot use.
  static void* map_many() {
    void* const memory =
        ::mmap(nullptr, kManyBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }

  std::vector<T*> blocks_;
  std::vector<std::unique_ptr<T, Free>> pieces_;  // what the blocks are part of
  std::size_t forgotten_ = 0;                     // pieces
  std::size_t size_ = 0;
};

}  // namespace dcmrank

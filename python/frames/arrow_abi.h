#pragma once

#include <cstdint>

// The Arrow C data and C stream interfaces (arrow.apache.org/docs/format/CDataInterface.html): an
// ABI of plain structs by which data frames are handed over without a copy and without a library.
extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace dcmrank::python {

inline constexpr std::int64_t kArrowNullable = 2;

/// Owns one of the structs: released at the end, and never copied.
template <class Struct>
class ArrowOwner {
 public:
  ArrowOwner() = default;
  ~ArrowOwner() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  ArrowOwner(const ArrowOwner&) = delete;
  ArrowOwner& operator=(const ArrowOwner&) = delete;
  ArrowOwner(ArrowOwner&&) = delete;
  ArrowOwner& operator=(ArrowOwner&&) = delete;

  Struct* get() { return &value_; }
  const Struct* get() const { return &value_; }
  Struct* operator->() { return &value_; }
  const Struct* operator->() const { return &value_; }

 private:
  Struct value_{};
};

}  // namespace dcmrank::python

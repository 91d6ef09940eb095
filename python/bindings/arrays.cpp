#include "arrays.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/model/list_check.h"

namespace dcmrank::python {
namespace {

// Names of numpy, looked up once. They are never let go of: they would outlive the interpreter.
PyObject* numpy(const char* name) {
  return nb::object(nb::module_::import_("numpy").attr(name)).release().ptr();
}
PyObject* dtype_of(const char* name) {
  return nb::object(nb::module_::import_("numpy").attr("dtype")(name)).release().ptr();
}

// The memory of an array, while it is looked at.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool open(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) return true;
    PyErr_Clear();
    view_.obj = nullptr;
    return false;
  }
  const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_{};
};

// numpy's own, since their memory is not shared with anything; a tenth of the time that a capsule
// takes.
template <class Array, class T>
NewArray<Array, T> new_array(std::size_t size, PyObject* dtype) {
  static PyObject* const empty = numpy("empty");
  const nb::object length = nb::steal(PyLong_FromSize_t(size));
  PyObject* const arguments[] = {length.ptr(), dtype};
  nb::object array = nb::steal(PyObject_Vectorcall(empty, arguments, 2, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  Buffer buffer;
  if (!buffer.open(array, PyBUF_WRITABLE)) throw std::logic_error("numpy.empty gave no memory");
  return {Array(std::move(array)), static_cast<T*>(buffer.view().buf)};
}

template <class T>
std::int64_t entry(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>) {
    // Far outside of every range here, so refused as what it is not: an item.
    return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
  } else {
    return static_cast<std::int64_t>(value);
  }
}

using ReadEntry = std::int64_t (*)(const char*);

// By the letter of the struct module; nullptr for what is no integer in this machine's byte order.
ReadEntry reader_of(const char* format) {
  if (format == nullptr || format[0] == '\0' || format[1] != '\0') return nullptr;
  switch (format[0]) {
    case '?':
    case 'B':
      return entry<std::uint8_t>;
    case 'b':
      return entry<std::int8_t>;
    case 'h':
      return entry<short>;
    case 'H':
      return entry<unsigned short>;
    case 'i':
      return entry<int>;
    case 'I':
      return entry<unsigned>;
    case 'l':
      return entry<long>;
    case 'L':
      return entry<unsigned long>;
    case 'q':
      return entry<long long>;
    case 'Q':
      return entry<unsigned long long>;
    default:
      return nullptr;
  }
}

// The buffer of a masked array holds what its mask hides.
void refuse_masked(nb::handle values, const Named& named) {
  static PyObject* const plain = numpy("ndarray");
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(values.ptr()));
  if (type == plain || PyList_Check(values.ptr())) return;
  static PyObject* const masked =
      nb::object(nb::module_::import_("numpy.ma").attr("MaskedArray")).release().ptr();
  if (PyObject_IsInstance(values.ptr(), masked) == 1) {
    throw TypeError(
        fmt::format("{} is a masked array, whose mask would be lost: fill it first", named.name()));
  }
}

// Whatever it is, as an array that Buffer can read; refused where that would change a value.
nb::object as_integers(nb::handle values, const Named& named) {
  static PyObject* const asarray = numpy("asarray");
  nb::object array;
  try {
    array = nb::handle(asarray)(values);
  } catch (nb::python_error& error) {  // lists of lists of several lengths
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    throw InputError(fmt::format("{} is not an array of integers", named.name()));
  }
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (kind == "i" || kind == "u" || kind == "b") return array.attr("astype")("int64");
  // An empty list is an array of float64 to numpy, and is refused for its length.
  static PyObject* const empty = numpy("empty");
  if (nb::cast<std::size_t>(array.attr("size")) == 0) {
    return nb::handle(empty)(array.attr("shape"), "int64");
  }
  throw TypeError(fmt::format("{} must be integers, not {}", named.name(),
                              nb::str(nb::object(array.attr("dtype"))).c_str()));
}

// Calls `take` with each entry of an array of integers of one dimension.
template <class Take>
void for_each_entry(nb::handle values, const Named& named, Take take) {
  refuse_masked(values, named);
  Buffer buffer;
  nb::object converted;
  const bool opened = buffer.open(values, PyBUF_STRIDES | PyBUF_FORMAT);
  ReadEntry read = opened ? reader_of(buffer.view().format) : nullptr;
  Buffer second;
  if (read == nullptr) {
    converted = as_integers(values, named);
    if (!second.open(converted, PyBUF_STRIDES | PyBUF_FORMAT)) {
      throw std::logic_error("numpy gave no memory");
    }
    read = reader_of(second.view().format);
  }
  const Py_buffer& view = converted.is_valid() ? second.view() : buffer.view();
  if (view.ndim != 1) {
    throw InputError(
        fmt::format("{} has {} dimensions, not one", named.name(), static_cast<int>(view.ndim)));
  }
  const char* at = static_cast<const char*>(view.buf);
  for (Py_ssize_t n = 0; n < view.shape[0]; ++n, at += view.strides[0]) take(read(at));
}

}  // namespace

NewArray<Integers, std::int64_t> new_integers(std::size_t size) {
  static PyObject* const dtype = dtype_of("int64");
  return new_array<Integers, std::int64_t>(size, dtype);
}

NewArray<Doubles, double> new_doubles(std::size_t size) {
  static PyObject* const dtype = dtype_of("float64");
  return new_array<Doubles, double>(size, dtype);
}

NewArray<Flags, std::uint8_t> new_flags(std::size_t size) {
  static PyObject* const dtype = dtype_of("bool");
  return new_array<Flags, std::uint8_t>(size, dtype);
}

Doubles to_numpy(std::span<const double> values) {
  auto [array, data] = new_doubles(values.size());
  std::copy(values.begin(), values.end(), data);
  return array;
}

Integers to_numpy(std::span<const std::uint64_t> values) {
  auto [array, data] = new_integers(values.size());
  std::transform(values.begin(), values.end(), data,
                 [](std::uint64_t value) { return static_cast<std::int64_t>(value); });
  return array;
}

Integers to_numpy(std::span<const Item> items) {
  auto [array, data] = new_integers(items.size());
  std::copy(items.begin(), items.end(), data);
  return array;
}

Flags flags_to_numpy(std::span<const std::uint8_t> flags) {
  auto [array, data] = new_flags(flags.size());
  std::transform(flags.begin(), flags.end(), data,
                 [](std::uint8_t flag) { return static_cast<std::uint8_t>(flag != 0); });
  return array;
}

void read_items(nb::handle values, const Named& named, std::size_t items, std::vector<Item>& out) {
  out.clear();
  for_each_entry(values, named, [&](std::int64_t item) {
    if (item < 0 || static_cast<std::uint64_t>(item) >= items) {
      throw InputError(fmt::format("{} {}", named.name(), item_fault(item, items)));
    }
    out.push_back(static_cast<Item>(item));
  });
}

void read_flags(nb::handle values, const Named& named, std::vector<std::uint8_t>& out) {
  out.clear();
  for_each_entry(values, named, [&](std::int64_t flag) {
    if (flag != 0 && flag != 1) {
      throw InputError(fmt::format("{}[{}] is {}, not 0 or 1", named.name(), out.size(), flag));
    }
    out.push_back(static_cast<std::uint8_t>(flag));
  });
}

}  // namespace dcmrank::python

// Columns of Python objects: pandas' plain ones.
#include "frames/objects_in.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "frames/frame.h"

namespace dcmrank::python {
namespace {

// Where an object stands; the row is looked for only where it must be named.
struct Place {
  const char* column;
  std::size_t n;
  const std::vector<std::int64_t>* row_ends;

  std::int64_t row() const {
    const auto at = static_cast<std::int64_t>(n);
    if (row_ends == nullptr) return at;
    return std::upper_bound(row_ends->begin(), row_ends->end(), at) - row_ends->begin();
  }
};

std::string name_of_type(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

// numpy's booleans are no subclass of Python's, nor of its integers.
bool is_boolean(nb::handle object) {
  if (PyBool_Check(object.ptr())) return true;
  if (PyLong_Check(object.ptr())) return false;
  const std::string name = name_of_type(object);
  return name == "bool_" || name == "bool";
}

bool is_nan(nb::handle object) {
  if (!PyFloat_Check(object.ptr())) return false;
  return std::isnan(PyFloat_AsDouble(object.ptr()));
}

[[noreturn]] void refuse_object(const Place& place, nb::handle object, const char* wanted) {
  const std::string name = name_of_type(object);
  if (object.is_none() || name == "NAType" || name == "NaTType") {
    refuse_row(place.column, place.row(), "has a missing value");
  }
  if (is_nan(object)) refuse_row(place.column, place.row(), "has NaN");
  throw nb::type_error(
      fmt::format("{}: row {} has a {}, not {}", place.column, place.row(), name, wanted).c_str());
}

// What an object with __index__ is as Python's integer.
nb::object integer_of(nb::handle object, const Place& place, const char* wanted) {
  if (PyLong_Check(object.ptr())) return nb::borrow(object);
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (number.is_valid()) return number;
  PyErr_Clear();
  refuse_object(place, object, wanted);
}

void append_text(nb::handle object, const Place& place, std::string& out) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();  // a lone surrogate
    refuse_row(place.column, place.row(), "has an id that is not UTF-8");
  }
  out.append(text, static_cast<std::size_t>(size));
}

void append_number(nb::handle object, const Place& place, std::string& out) {
  constexpr const char* kWanted = "an id (a string or an integer)";
  if (is_boolean(object)) refuse_object(place, object, kWanted);
  const nb::object number = integer_of(object, place, kWanted);
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  out += overflow == 0 ? std::to_string(value) : nb::cast<std::string>(nb::str(number));
}

std::uint8_t flag_of(nb::handle object, const Place& place) {
  if (object.ptr() == Py_True) return 1;
  if (object.ptr() == Py_False) return 0;
  if (is_boolean(object)) return PyObject_IsTrue(object.ptr()) == 1 ? 1 : 0;
  const nb::object number = integer_of(object, place, "a flag (a boolean or an integer)");
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0 && (value == 0 || value == 1)) return static_cast<std::uint8_t>(value);
  refuse_row(place.column, place.row(),
             fmt::format("has {}, which is not a flag (0 or 1)",
                         overflow == 0 ? std::to_string(value) : "a large number"));
}

// Ctrl-C is noticed while many objects are copied.
void look_for_signals(std::size_t n) {
  constexpr std::size_t kObjectsOfAGlance = std::size_t{1} << 16U;
  if (n % kObjectsOfAGlance == 0 && PyErr_CheckSignals() != 0) nb::raise_python_error();
}

}  // namespace

Ids OwnedIds::ids() const {
  Ids ids;
  ids.kind = Ids::Kind::kText64;
  ids.offsets = offsets.data();
  ids.text = text.data();
  return ids;
}

OwnedIds ids_of_objects(const char* column, const nb::list& objects,
                        const std::vector<std::int64_t>* row_ends) {
  OwnedIds owned;
  const std::size_t size = objects.size();
  owned.offsets.reserve(size + 1);
  for (std::size_t n = 0; n < size; ++n) {
    look_for_signals(n);
    const nb::handle object = PyList_GetItem(objects.ptr(), static_cast<Py_ssize_t>(n));
    const Place place{column, n, row_ends};
    if (PyUnicode_Check(object.ptr())) {
      append_text(object, place, owned.text);
    } else {
      append_number(object, place, owned.text);
    }
    owned.offsets.push_back(static_cast<std::int64_t>(owned.text.size()));
  }
  return owned;
}

OwnedFlags flags_of_objects(const nb::list& objects, const std::vector<std::int64_t>& row_ends) {
  OwnedFlags owned;
  const std::size_t size = objects.size();
  owned.flags.reserve(size);
  for (std::size_t n = 0; n < size; ++n) {
    look_for_signals(n);
    const nb::handle object = PyList_GetItem(objects.ptr(), static_cast<Py_ssize_t>(n));
    owned.flags.push_back(flag_of(object, {"clicks", n, &row_ends}));
  }
  return owned;
}

}  // namespace dcmrank::python

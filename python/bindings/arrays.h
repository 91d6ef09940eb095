#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank::python {

/// An argument of the wrong type; Python's TypeError.
class TypeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A Python object that the stubs show by a type of their own.
template <class Shown>
class Typed : public nb::object {
 public:
  using nb::object::object;
  explicit Typed(nb::object&& held) : nb::object(std::move(held)) {}
  static constexpr auto Name = Shown::name;
};
namespace shown {
struct Integers {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.int64]");
};
struct Doubles {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.float64]");
};
struct Flags {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.bool_]");
};
struct ArrayLike {
  static constexpr auto name = nb::detail::const_name("numpy.typing.ArrayLike");
};
}  // namespace shown
using Integers = Typed<shown::Integers>;
using Doubles = Typed<shown::Doubles>;
using Flags = Typed<shown::Flags>;
using ArrayLike = Typed<shown::ArrayLike>;  // whatever numpy makes an array of

/// A new numpy array of one dimension, and where its entries go.
template <class Array, class T>
struct NewArray {
  Array array;
  T* data;
};
NewArray<Integers, std::int64_t> new_integers(std::size_t size);
NewArray<Doubles, double> new_doubles(std::size_t size);
NewArray<Flags, std::uint8_t> new_flags(std::size_t size);  // bool in numpy

Doubles to_numpy(std::span<const double> values);
Integers to_numpy(std::span<const std::uint64_t> values);
Integers to_numpy(std::span<const Item> items);
Flags flags_to_numpy(std::span<const std::uint8_t> flags);

/// What messages call an argument, made only where one is needed: name() is "ranking", or "policy
/// 'Greedy', round 3: its list".
class Named {
 public:
  virtual std::string name() const = 0;

 protected:
  ~Named() = default;
};

class Argument final : public Named {
 public:
  explicit Argument(const char* name) : name_(name) {}
  std::string name() const override { return name_; }

 private:
  const char* name_;
};

/// Items from whatever numpy takes for an array of integers of one dimension. Throws TypeError or
/// InputError for other types and for what is no item of `items`.
void read_items(nb::handle values, const Named& named, std::size_t items, std::vector<Item>& out);

/// Flags from an array of booleans, or of integers that are 0 or 1; likewise.
void read_flags(nb::handle values, const Named& named, std::vector<std::uint8_t>& out);

}  // namespace dcmrank::python

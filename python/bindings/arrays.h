#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank::python {

/// An argument of the wrong type; Python's TypeError.
class TypeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A new numpy array of one dimension, and where its entries go.
template <class T>
struct NewArray {
  nb::object array;
  T* data;
};
NewArray<std::int64_t> new_integers(std::size_t size);
NewArray<double> new_doubles(std::size_t size);
NewArray<std::uint8_t> new_flags(std::size_t size);  // bool in numpy

nb::object to_numpy(std::span<const double> values);
nb::object to_numpy(std::span<const std::uint64_t> values);
nb::object to_numpy(std::span<const Item> items);
nb::object flags_to_numpy(std::span<const std::uint8_t> flags);

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

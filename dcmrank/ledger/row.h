#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include <boost/container/small_vector.hpp>

#include "dcmrank/ledger/fixed.h"

namespace dcmrank::service {

/// A row of numbers (policy/open_policy.h), of which only those are kept that are not 0: a long row
/// has few of them, and what a page adds to it one or two.
class Row {  // NOLINT(bugprone-exception-escape): moving small vectors throws nothing
 public:
  struct Number {
    std::uint32_t place;
    Fixed value;
    bool operator==(const Number&) const = default;
  };

  Row() = default;
  Row(std::initializer_list<Fixed> numbers) {
    std::size_t place = 0;
    for (const Fixed value : numbers) append(place++, value);
  }

  /// 0 if there is none.
  Fixed operator[](std::size_t place) const {
    const auto at = find(place);
    return at != numbers_.end() && at->place == place ? at->value : 0;
  }

  /// At a place after all others.
  void append(std::size_t place, Fixed value) {
    if (value != 0) numbers_.push_back({static_cast<std::uint32_t>(place), value});
  }

  /// row += sign * other
  void add(const Row& other, Fixed sign) {
    for (const Number& number : other.numbers_) add(number.place, sign * number.value);
  }

  void add(std::size_t place, Fixed value) {
    const auto at = numbers_.begin() + (find(place) - numbers_.begin());
    if (at == numbers_.end() || at->place != place) {
      if (value != 0) numbers_.insert(at, {static_cast<std::uint32_t>(place), value});
      return;
    }
    at->value += value;
    if (at->value == 0) numbers_.erase(at);
  }

  bool empty() const { return numbers_.empty(); }
  /// Up to the last number that is not 0.
  std::size_t size() const { return numbers_.empty() ? 0 : numbers_.back().place + std::size_t{1}; }
  std::span<const Number> numbers() const { return {numbers_.data(), numbers_.size()}; }
  bool operator==(const Row& other) const { return numbers_ == other.numbers_; }

 private:
  // What a page adds has one or two numbers, and there are many of those.
  using Numbers = boost::container::small_vector<Number, 2>;

  Numbers::const_iterator find(std::size_t place) const {
    return std::lower_bound(numbers_.begin(), numbers_.end(), place,
                            [](const Number& number, std::size_t p) { return number.place < p; });
  }

  Numbers numbers_;  // by place
};

/// As the store has it: how many numbers; then for each 0 and how many zeros there are in a row, or
/// 1 and the number, or, where it is a whole multiple of 2^32, that multiple, signed, and one more.
void put_row(std::string& out, const Row& row);
std::string row_blob(const Row& row);
Row take_row(BlobReader& reader);
/// Empty if the bytes are empty.
Row parse_row(std::string_view blob);
/// In ordinary numbers: what is missing is 0, what is too much is left out.
void read_row(std::string_view blob, std::span<double> out);
void read_row(const Row& row, std::span<double> out);

}  // namespace dcmrank::service

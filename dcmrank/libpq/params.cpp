#include "dcmrank/libpq/params.h"

#include <array>

namespace dcmrank::service {
namespace {

// Of the server's catalogue; they never change.
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kBytea = 17;

template <class Number>
void put(std::string& out, Number value) {
  std::array<char, sizeof value> bytes{};
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    bytes[n] = static_cast<char>(value >> (8 * (bytes.size() - 1 - n)) & 0xffU);
  }
  out.append(bytes.data(), bytes.size());
}

void put_element(std::string& out, std::int64_t value) {
  put(out, std::uint32_t{8});
  put(out, static_cast<std::uint64_t>(value));
}

void put_element(std::string& out, std::string_view value) {
  put(out, static_cast<std::uint32_t>(value.size()));
  out += value;
}

template <class Value>
void put_element(std::string& out, const std::optional<Value>& value) {
  if (value) return put_element(out, *value);
  put(out, ~std::uint32_t{0});
}

std::size_t bytes_of(std::int64_t /*value*/) { return 12; }
std::size_t bytes_of(std::string_view value) { return 4 + value.size(); }
template <class Value>
std::size_t bytes_of(const std::optional<Value>& value) {
  return value ? bytes_of(*value) : 4;
}

// How an array goes over the wire: dimensions, whether there are nulls, the type, the size and the
// first index of its one dimension, and each element after its length.
template <class Values>
std::string array(std::uint32_t type, const Values& values) {
  std::size_t bytes = 20;
  for (const auto& value : values) bytes += bytes_of(value);
  std::string out;
  out.reserve(bytes);
  put(out, std::uint32_t{values.empty() ? 0U : 1U});
  put(out, std::uint32_t{1});
  put(out, type);
  if (values.empty()) return out;
  put(out, static_cast<std::uint32_t>(values.size()));
  put(out, std::uint32_t{1});
  for (const auto& value : values) put_element(out, value);
  return out;
}

}  // namespace

PgParams& PgParams::number(std::int64_t value) {
  put(values_.emplace_back(), static_cast<std::uint64_t>(value));
  return *this;
}

PgParams& PgParams::bytes(std::string_view value) {
  values_.emplace_back(value);
  return *this;
}

PgParams& PgParams::numbers(std::span<const std::int64_t> values) {
  values_.push_back(array(kInt8, values));
  return *this;
}

PgParams& PgParams::numbers(std::span<const std::optional<std::int64_t>> values) {
  values_.push_back(array(kInt8, values));
  return *this;
}

PgParams& PgParams::texts(std::span<const std::string_view> values) {
  values_.push_back(array(kBytea, values));
  return *this;
}

PgParams& PgParams::texts(std::span<const std::optional<std::string_view>> values) {
  values_.push_back(array(kBytea, values));
  return *this;
}

}  // namespace dcmrank::service

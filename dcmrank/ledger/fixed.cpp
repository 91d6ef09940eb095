#include "dcmrank/ledger/fixed.h"

#include <stdexcept>

namespace dcmrank::service {
namespace {

using Wide = unsigned __int128;

template <class T>
void put_groups(std::string& out, T value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(value) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

template <class T>
T take_groups(std::string_view& rest) {
  T value = 0;
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 7) {
    if (rest.empty()) BlobReader::damaged();
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= T{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  BlobReader::damaged();
}

}  // namespace

void put_unsigned(std::string& out, std::uint64_t value) { put_groups(out, value); }

void put_signed(std::string& out, Fixed value) {
  const auto bits = static_cast<Wide>(value);
  put_groups(out, (bits << 1U) ^ (value < 0 ? ~Wide{0} : 0));
}

std::string print_fixed(Fixed value) {
  std::string digits;
  auto rest = static_cast<Wide>(value);
  if (value < 0) rest = 0 - rest;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest > 0);
  return value < 0 ? "-" + digits : digits;
}

std::optional<Fixed> parse_fixed(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  Fixed value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
    if (value > kMostImported) return std::nullopt;
  }
  return negative ? -value : value;
}

void put_text(std::string& out, std::string_view text) {
  put_unsigned(out, text.size());
  out.append(text);
}

void BlobReader::damaged() { throw std::runtime_error("a record in the database is damaged"); }

std::uint64_t BlobReader::unsigned_number() { return take_groups<std::uint64_t>(rest_); }

Fixed BlobReader::signed_number() {
  const auto bits = take_groups<Wide>(rest_);
  return static_cast<Fixed>((bits >> 1U) ^ (0 - (bits & 1U)));
}

std::string_view BlobReader::text() {
  const std::uint64_t size = unsigned_number();
  if (size > rest_.size()) damaged();
  const std::string_view result = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return result;
}

}  // namespace dcmrank::service

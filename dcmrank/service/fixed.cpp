#include "dcmrank/service/fixed.h"

#include <stdexcept>

namespace dcmrank::service {
namespace {

[[noreturn]] void broken() { throw std::runtime_error("a record in the database is damaged"); }

}  // namespace

void put_unsigned(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

void put_signed(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  put_unsigned(out, (bits << 1U) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void put_text(std::string& out, std::string_view text) {
  put_unsigned(out, text.size());
  out.append(text);
}

void put_row(std::string& out, std::span<const Fixed> row) {
  put_unsigned(out, row.size());
  for (const Fixed number : row) put_signed(out, number);
}

std::string row_blob(std::span<const Fixed> row) {
  std::string blob;
  put_row(blob, row);
  return blob;
}

std::uint64_t BlobReader::unsigned_number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) broken();
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  broken();
}

std::int64_t BlobReader::signed_number() {
  const std::uint64_t bits = unsigned_number();
  return static_cast<std::int64_t>((bits >> 1U) ^ (0 - (bits & 1U)));
}

std::string_view BlobReader::text() {
  const std::uint64_t size = unsigned_number();
  if (size > rest_.size()) broken();
  const std::string_view result = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return result;
}

Row BlobReader::row() {
  const std::uint64_t size = unsigned_number();
  if (size > rest_.size()) broken();
  Row result(size);
  for (Fixed& number : result) number = signed_number();
  return result;
}

}  // namespace dcmrank::service

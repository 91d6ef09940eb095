#include "dcmrank/ledger/row.h"

namespace dcmrank::service {
namespace {

constexpr std::uint64_t kLongestRow = 1U << 20U;
constexpr Fixed kWhole = Fixed{1} << 32U;

void put_number(std::string& out, Fixed number) {
  const Fixed whole = number / kWhole;
  const bool fits = whole > -(Fixed{1} << 61U) && whole < (Fixed{1} << 61U);
  if (whole * kWhole != number || !fits) {
    put_unsigned(out, 1);
    return put_signed(out, number);
  }
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  put_unsigned(out, ((bits << 1U) ^ (whole < 0 ? ~std::uint64_t{0} : 0)) + 1);
}

// Calls use(place, number) for all numbers of a row that are not 0.
template <class Use>
void for_numbers(BlobReader& reader, Use use) {
  const std::uint64_t size = reader.unsigned_number();
  if (size > kLongestRow) BlobReader::damaged();
  for (std::uint64_t n = 0; n < size;) {
    const std::uint64_t token = reader.unsigned_number();
    if (token == 0) {
      const std::uint64_t zeros = reader.unsigned_number();
      if (zeros == 0 || zeros > size - n) BlobReader::damaged();
      n += zeros;
    } else if (token == 1) {
      use(n++, reader.signed_number());
    } else {
      const std::uint64_t bits = token - 1;
      use(n++, Fixed{static_cast<std::int64_t>((bits >> 1U) ^ (0 - (bits & 1U)))} * kWhole);
    }
  }
}

}  // namespace

void put_row(std::string& out, const Row& row) {
  put_unsigned(out, row.size());
  std::size_t next = 0;
  for (const Row::Number& number : row.numbers()) {
    if (number.place > next) {
      put_unsigned(out, 0);
      put_unsigned(out, number.place - next);
    }
    put_number(out, number.value);
    next = number.place + std::size_t{1};
  }
}

std::string row_blob(const Row& row) {
  std::string blob;
  put_row(blob, row);
  return blob;
}

Row take_row(BlobReader& reader) {
  Row row;
  for_numbers(reader, [&](std::size_t place, Fixed number) { row.append(place, number); });
  return row;
}

Row parse_row(std::string_view blob) {
  if (blob.empty()) return {};
  BlobReader reader(blob);
  return take_row(reader);
}

void read_row(const Row& row, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (const Row::Number& number : row.numbers()) {
    if (number.place < out.size()) out[number.place] = from_fixed(number.value);
  }
}

void read_row(std::string_view blob, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (blob.empty()) return;
  BlobReader reader(blob);
  for_numbers(reader, [&](std::size_t place, Fixed number) {
    if (place < out.size()) out[place] = from_fixed(number);
  });
}

}  // namespace dcmrank::service

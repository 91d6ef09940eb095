#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank::service {

/// What was learned is kept in whole multiples of 2^-32: sums of such numbers are exact and do not
/// depend on the order, so that what one page taught can be taken back to the last bit, and a
/// recount finds the very same state. No sum overflows: a query has at most kMostRounds (delta.h),
/// and no number of its rows is beyond 2^17 for each of them (ledger/possible.h).
using Fixed = __int128;

inline constexpr double kFixedOne = 0x1p32;
inline constexpr Fixed kMostImported = Fixed{1} << 100U;

/// `value` must be below 2^31.
inline Fixed to_fixed(double value) { return std::llround(value * kFixedOne); }
inline double from_fixed(Fixed value) {
  const auto narrow =
      static_cast<std::int64_t>(value);  // converted faster, and nearly always enough
  return (narrow == value ? static_cast<double>(narrow) : static_cast<double>(value)) / kFixedOne;
}

/// In decimal digits.
std::string print_fixed(Fixed value);
/// Nothing if it is not a whole number of at most kMostImported, of either sign.
std::optional<Fixed> parse_fixed(std::string_view text);

/// How numbers and texts stand in the database: whole numbers in groups of seven bits, the lowest
/// first, signed ones with the sign in the lowest bit; a text after its length.
void put_unsigned(std::string& out, std::uint64_t value);
void put_signed(std::string& out, Fixed value);
void put_text(std::string& out, std::string_view text);
/// Reads what the above wrote; throws std::runtime_error if the bytes end too early.
class BlobReader {
 public:
  explicit BlobReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t unsigned_number();
  Fixed signed_number();
  std::string_view text();
  bool done() const { return rest_.empty(); }
  [[noreturn]] static void damaged();

 private:
  std::string_view rest_;
};

}  // namespace dcmrank::service

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "dcmrank/fit/statistics.h"

namespace dcmrank {

/// What the numbers of a row count.
enum class RowKind : std::uint8_t { kLog, kSkipped, kQuery, kPosition, kItem, kContext, kTail };
inline constexpr std::size_t kRowKinds = 7;

/// Statistics as rows, for engines that group and add: rows of the same query, kind and key add up,
/// whoever counted them. A key holds ids, not numbers, and NUL between its parts.
struct CountsRow {
  std::string_view query;  // empty of what is about the whole log
  RowKind kind = RowKind::kLog;
  std::string_view key;
  std::array<std::int64_t, 6> counts{};
};

/// Hands over the rows of what was counted. Their texts are valid during the call.
void visit_rows(const LogStatistics& log, const std::function<void(const CountsRow&)>& visit);

/// Adds a row to what `log` holds, in any order of the rows. Throws InputError for a row that
/// visit_rows cannot have made.
void add_row(const CountsRow& row, LogStatistics& log);

}  // namespace dcmrank

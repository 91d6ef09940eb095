#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/base/same_version.h"

namespace dcmrank {

/// Why something in a log was not used, or was used although it was irregular.
enum class Skip : std::uint8_t {
  kTooFewFields,
  kTooManyFields,
  kTooManyItems,
  kUnknownRecord,
  kNotANumber,
  kEmptyId,
  kLongId,
  kLongLine,
  kNulByte,
  kNotUtf8,
  kStrayReturn,
  kRepeatedItem,
  kClickBeforeQuery,
  kClickOnUnknownPage,
  kDamagedFile,
  kEmptyFile,
  kClickOfSkippedQuery,
  kClickNotShown,
  kRepeatedClick,
  kTestQuery,
  kCarriageReturn,
  kNoNewline,
  kNotJson,
  kUnclosedQuote,
  kPositionGap,
  kScatteredPage,
  kRepeatedPosition,
  kUnfitClicks,
  kFallingPositions,
};
inline constexpr std::size_t kSkips = 29;

/// Malformed: skipped, and --strict stops there. Ignored: skipped, but usual in real logs.
/// Tolerated: used as if it were regular, and --strict stops there.
enum class SkipKind : std::uint8_t { kMalformed, kIgnored, kTolerated };

struct SkipInfo {
  const char* name;  // in files
  const char* text;  // for people
  SkipKind kind;
};
const SkipInfo& skip_info(Skip reason);

/// The reason that files call by this name, if any.
std::optional<Skip> find_skip(std::string_view name);

/// What was found in reading a log, or a part of one: a monoid under append(), in the order of the
/// log. `line` of an example counts from 1 within its file.
struct LogReport {
  struct Example {
    std::string file;
    std::uint64_t line = 0;
    std::string text;
  };

  std::uint64_t lines = 0;
  std::uint64_t impressions = 0;
  std::uint64_t clicks = 0;       // those that count: of shown items, once each
  std::uint64_t fingerprint = 0;  // the sum of the hashes of the impressions
  std::array<std::uint64_t, kSkips> skipped{};
  std::array<std::optional<Example>, kSkips> first;
  std::uint64_t notes = 0;  // how often note() was called; not of reports read from files
  std::uint64_t lone = 0;   // pages of one item, which is not at the top; not in files either

  /// Counts the reason once, at the line last read or at an earlier one.
  void note(Skip reason, std::string_view text) { note(reason, text, lines); }
  void note(Skip reason, std::string_view text, std::uint64_t line);

  /// Adds what was found later; `lines_before` lines of its file were read before it.
  void append(const LogReport& later, std::uint64_t lines_before);

  std::uint64_t count(Skip reason) const { return skipped[static_cast<std::size_t>(reason)]; }

  /// The earliest line at which a strict reader stops, with its reason.
  std::optional<Skip> first_fault() const;
};

/// "FILE:LINE: reason: 'text'".
std::string describe(const LogReport& report, Skip reason);

/// The member "log" of files: lines, impressions, clicks, fingerprint, skipped, tolerated.
nlohmann::ordered_json log_to_json(const LogReport& report);
LogReport log_from_json(const nlohmann::ordered_json& json);

}  // namespace dcmrank

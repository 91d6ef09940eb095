#include "dcmrank/page/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

using enum SkipKind;

// In the order of the enumeration.
constexpr std::array<SkipInfo, kSkips> kInfos{{
    {"too_few_fields", "too few fields", kMalformed},
    {"too_many_fields", "too many fields", kMalformed},
    {"too_many_items", "more than 256 items in a list", kMalformed},
    {"unknown_record", "an unknown type of record", kMalformed},
    {"not_a_number", "not a number, where one is needed", kMalformed},
    {"empty_id", "an empty id", kMalformed},
    {"long_id", "an id longer than 1 KiB", kMalformed},
    {"long_line", "an overlong line", kMalformed},
    {"nul_byte", "a NUL byte", kMalformed},
    {"not_utf8", "not UTF-8", kMalformed},
    {"stray_return", "a carriage return within the line", kMalformed},
    {"repeated_item", "an item twice in one list", kMalformed},
    {"click_before_query", "a click before any query of its session", kMalformed},
    {"click_on_unknown_page", "a click on a page that is not in its session", kMalformed},
    {"damaged_file", "the compressed file is damaged or truncated; the rest is lost", kMalformed},
    {"empty_file", "an empty file", kMalformed},
    {"click_of_skipped_query", "a click of a query that was skipped", kIgnored},
    {"click_not_shown", "a click on an item that was not shown", kIgnored},
    {"repeated_click", "a repeated click", kIgnored},
    {"test_query", "a test query without a click", kIgnored},
    {"carriage_return", "a carriage return before the end of the line", kTolerated},
    {"no_newline", "no newline at the end of the file", kTolerated},
    {"not_json", "not a JSON object", kMalformed},
    {"unclosed_quote", "a quote that is never closed", kMalformed},
    {"position_gap", "gaps between the positions of a page; its items move up", kTolerated},
    {"scattered_page", "rows of a page that do not stand together: sort the file by page",
     kMalformed},
    {"repeated_position", "two items of a page at one position", kMalformed},
    {"unfit_clicks", "clicks that are not one for each item of the list", kMalformed},
    {"falling_positions", "positions that fall within what may be one page", kTolerated},
}};

ordered_json counts_of(const LogReport& report, bool tolerated) {
  ordered_json counts = ordered_json::object();
  for (std::size_t r = 0; r < kSkips; ++r) {
    if ((kInfos[r].kind == kTolerated) != tolerated || report.skipped[r] == 0) continue;
    counts[kInfos[r].name] = report.skipped[r];
  }
  return counts;
}

}  // namespace

const SkipInfo& skip_info(Skip reason) { return kInfos[static_cast<std::size_t>(reason)]; }

std::optional<Skip> find_skip(std::string_view name) {
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (name == kInfos[r].name) return static_cast<Skip>(r);
  }
  return std::nullopt;
}

void LogReport::note(Skip reason, std::string_view text, std::uint64_t line) {
  ++notes;
  const auto r = static_cast<std::size_t>(reason);
  ++skipped[r];
  if (first[r] && first[r]->line <= line) return;
  first[r] = Example{"", line, std::string(text.substr(0, 100))};
}

void LogReport::append(const LogReport& later, std::uint64_t lines_before) {
  notes += later.notes;
  lone += later.lone;
  lines += later.lines;
  impressions += later.impressions;
  fingerprint += later.fingerprint;
  clicks += later.clicks;
  for (std::size_t r = 0; r < kSkips; ++r) {
    skipped[r] += later.skipped[r];
    if (first[r] || !later.first[r]) continue;
    first[r] = later.first[r];
    first[r]->line += lines_before;
  }
}

std::optional<Skip> LogReport::first_fault() const {
  std::optional<Skip> fault;
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (!first[r] || kInfos[r].kind == kIgnored) continue;
    const auto current = static_cast<std::size_t>(fault.value_or(static_cast<Skip>(r)));
    if (!fault || first[r]->line < first[current]->line) fault = static_cast<Skip>(r);
  }
  return fault;
}

std::string describe(const LogReport& report, Skip reason) {
  const auto& example = report.first[static_cast<std::size_t>(reason)];
  const char* text = skip_info(reason).text;
  if (!example) return text;
  if (example->line == 0) return fmt::format("{}: {}", example->file, text);
  return fmt::format("{}:{}: {}: {}", example->file, example->line, text, quote(example->text));
}

ordered_json log_to_json(const LogReport& report) {
  return {{"lines", report.lines},
          {"impressions", report.impressions},
          {"clicks", report.clicks},
          {"fingerprint", fmt::format("{:016x}", report.fingerprint)},
          {"skipped", counts_of(report, false)},
          {"tolerated", counts_of(report, true)}};
}

namespace {

// Files of before have none.
std::uint64_t fingerprint_from_json(const ordered_json& json) {
  if (!fields::has(json, "fingerprint")) return 0;
  const std::string text = fields::string(json, "fingerprint");
  const auto value = parse_hex(text);
  if (value) return *value;
  throw InputError(fmt::format("\"fingerprint\" is {}, not 16 hexadecimal digits", quote(text)));
}

}  // namespace

LogReport log_from_json(const ordered_json& json) {
  const auto count = [](const ordered_json& object, std::string_view name) -> std::uint64_t {
    return fields::has(object, name) ? fields::whole_number(object, name, 0, UINT64_MAX) : 0;
  };
  LogReport report;
  report.lines = count(json, "lines");
  report.impressions = count(json, "impressions");
  report.clicks = count(json, "clicks");
  report.fingerprint = fingerprint_from_json(json);
  for (const char* group : {"skipped", "tolerated"}) {
    if (!fields::has(json, group)) continue;
    const ordered_json& counts = fields::object(json, group);
    for (std::size_t r = 0; r < kSkips; ++r) report.skipped[r] += count(counts, kInfos[r].name);
  }
  return report;
}

}  // namespace dcmrank

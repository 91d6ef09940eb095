// Dates and times of day, as keys expire: RFC 3339, UTC.
#include <chrono>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/service/key_entry.h"

namespace dcmrank::service {
namespace {

constexpr std::int64_t kDay = 86'400;

// Whether punctuation stands where the form has it, and digits where the form has a '0'.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const bool digit = text[n] >= '0' && text[n] <= '9';
    if (form[n] == '0' ? !digit : text[n] != form[n]) return false;
  }
  return true;
}

unsigned number(std::string_view text, std::size_t from, std::size_t size) {
  return static_cast<unsigned>(parse_unsigned(text.substr(from, size)).value_or(0));
}

}  // namespace

std::optional<std::int64_t> day_start(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(month),
                            std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  return std::int64_t{sys_days(date).time_since_epoch().count()} * kDay;
}

std::optional<std::int64_t> parse_moment(std::string_view text) {
  const bool with_time = has_form(text, "0000-00-00T00:00:00Z");
  if (!with_time && !has_form(text, "0000-00-00")) return std::nullopt;
  auto moment =
      day_start(static_cast<int>(number(text, 0, 4)), number(text, 5, 2), number(text, 8, 2));
  if (!moment || !with_time) return moment;
  const unsigned hours = number(text, 11, 2);
  const unsigned minutes = number(text, 14, 2);
  const unsigned seconds = number(text, 17, 2);
  if (hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  return *moment + std::int64_t{(hours * 60 + minutes) * 60 + seconds};
}

std::string print_moment(std::int64_t seconds) {
  using namespace std::chrono;
  const sys_days day = floor<days>(sys_seconds(std::chrono::seconds(seconds)));
  const year_month_day date(day);
  const std::int64_t rest = seconds - std::int64_t{day.time_since_epoch().count()} * kDay;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     rest / 3600, rest / 60 % 60, rest % 60);
}

}  // namespace dcmrank::service

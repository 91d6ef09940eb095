#include "dcmrank/log/guarded_parser.h"

#include <stdexcept>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/page/page.h"

namespace dcmrank {

std::string who(const LogFormat& format) {
  return fmt::format("log format {}", quote(format.name));
}

std::string said_of(const LogFormat& format, std::string_view message) {
  return fmt::format("{}: {}", who(format), message);
}

ParserError::ParserError(const LogFormat& format, std::uint64_t line, std::string_view message)
    : InputError(fmt::format("line {}: {}", line, said_of(format, message))),
      line_(line),
      said_(said_of(format, message)) {}

namespace {

std::optional<Skip> fault_of(std::string_view id) {
  if (id.empty()) return Skip::kEmptyId;
  if (id.size() > kMaxId) return Skip::kLongId;
  if (id.find('\0') != std::string_view::npos) return Skip::kNulByte;
  return is_utf8(id) ? std::nullopt : std::optional(Skip::kNotUtf8);
}

}  // namespace

void CheckedPages::check(const Impression& impression, std::uint32_t times) {
  check_size(impression);
  const auto refuse = [&](const std::string& why) {
    throw std::logic_error(
        fmt::format("an impression of query {}: {}", quote(impression.query.text), why));
  };
  const auto check_id = [&](const Id& id) {
    if (const auto fault = fault_of(id.text)) {
      refuse(fmt::format("{}: {}", skip_info(*fault).text, quote(id.text)));
    }
  };
  check_id(impression.query);
  for (const Id& item : impression.items) check_id(item);
  if (has_repeated_item(impression.items)) refuse(skip_info(Skip::kRepeatedItem).text);
  std::uint64_t clicks = 0;
  for (std::size_t k = 0; k < impression.clicks.size(); ++k) {
    const unsigned click = impression.clicks[k];
    if (click > 1) refuse(fmt::format("its click at position {} is {}, not 0 or 1", k + 1, click));
    clicks += click;
  }
  impressions_ += times;
  clicks_ += times * clicks;
}

GuardedParser::GuardedParser(const LogFormat& format, ImpressionSink& sink, LogReport& report)
    : format_(&format), report_(&report), sink_(sink, report) {
  if (!is_built_in(format)) checked_.emplace(sink_);
  ImpressionSink& first = checked_ ? static_cast<ImpressionSink&>(*checked_) : sink_;
  guard([&] { parser_ = format.parser(first, report); });
  if (!parser_) throw ParserError(format, 0, "it gives no parser");
}

void GuardedParser::note_counts() {
  if (!checked_) return;
  report_->impressions = checked_->impressions();
  report_->clicks = checked_->clicks();
}

// Called where the exception is being handled.
void GuardedParser::blame(const std::exception* error) const {
  const bool of_others = sink_.threw() || dynamic_cast<const Interrupted*>(error) != nullptr ||
                         dynamic_cast<const std::bad_alloc*>(error) != nullptr;
  if (of_others) throw;
  throw ParserError(*format_, report_->lines,
                    error != nullptr ? error->what() : "an exception that is not a std::exception");
}

}  // namespace dcmrank

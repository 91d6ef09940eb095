#include "dcmrank/log/guarded_parser.h"

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank {

std::string said_of(const LogFormat& format, std::string_view message) {
  return fmt::format("log format {}: {}", quote(format.name), message);
}

ParserError::ParserError(const LogFormat& format, std::uint64_t line, std::string_view message)
    : InputError(fmt::format("line {}: {}", line, said_of(format, message))),
      line_(line),
      said_(said_of(format, message)) {}

GuardedParser::GuardedParser(const LogFormat& format, ImpressionSink& sink, LogReport& report)
    : format_(&format), report_(&report), sink_(sink, report) {
  guard([&] { parser_ = format.parser(sink_, report); });
  if (!parser_) throw ParserError(format, 0, "it gives no parser");
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

#include "dcmrank/log/format.h"

#include <deque>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/typed.h"

namespace dcmrank {

namespace {

// The one list of the built-in formats, in the order in which they are tried on a file that nobody
// says the format of; those that were added follow.
std::vector<const LogFormat*>& known_formats() {
  static std::vector<const LogFormat*> formats{&kYandex2011, &kYandex2014, &kJsonl, &kCsv, &kTsv};
  return formats;
}

[[noreturn]] void refuse(const LogFormat& format, const char* why) {
  throw InputError(fmt::format("log format {}: {}", quote(format.name), why));
}

}  // namespace

std::span<const LogFormat* const> log_formats() { return known_formats(); }

void add_log_format(const LogFormat& format) {
  static std::deque<LogFormat> added;  // never moved
  if (format.name.empty()) refuse(format, "it has no name");
  for (const LogFormat* known : log_formats()) {
    if (known->name == format.name) refuse(format, "there is already one of that name");
  }
  if (!can_be_typed(format.name)) {
    refuse(format, "its name cannot be typed: use visible characters but ':', ',' and '='");
  }
  if ((!format.parser && format.of_table == nullptr) || format.write == nullptr)
    refuse(format, "it needs parser and write");
  added.push_back(format);
  known_formats().push_back(&added.back());
}

const LogFormat& log_format(std::string_view name) {
  return *choose("--format", name, log_formats(), &LogFormat::name);
}

}  // namespace dcmrank

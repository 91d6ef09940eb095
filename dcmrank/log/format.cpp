#include "dcmrank/log/format.h"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/registration.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/typed.h"
#include "dcmrank/log/guarded_parser.h"

namespace dcmrank {

namespace {

// The one list of the built-in formats, in the order in which they are tried on a file that nobody
// says the format of.
constexpr std::array<const LogFormat*, 5> kBuiltIn{&kYandex2011, &kYandex2014, &kJsonl, &kCsv,
                                                   &kTsv};

// They, and those that were added.
std::vector<const LogFormat*>& known_formats() {
  static std::vector<const LogFormat*> formats(kBuiltIn.begin(), kBuiltIn.end());
  return formats;
}

[[noreturn]] void refuse(const LogFormat& format, std::string_view why) {
  refuse_registration(said_of(format, why));
}

}  // namespace

std::span<const LogFormat* const> log_formats() { return known_formats(); }

bool is_built_in(const LogFormat& format) {
  return std::any_of(kBuiltIn.begin(), kBuiltIn.end(),
                     [&](const LogFormat* known) { return known->name == format.name; });
}

void add_log_format(const LogFormat& format) {
  static std::deque<LogFormat> added;  // never moved
  if (format.name.empty()) refuse(format, "it has no name");
  for (const LogFormat* known : log_formats()) {
    if (known->name == format.name) refuse(format, "there is already one of that name");
  }
  if (!can_be_typed(format.name)) {
    refuse(format, fmt::format("its name cannot be typed: {}", kWhatCanBeTyped));
  }
  if ((!format.parser && format.of_table == nullptr) || format.write == nullptr)
    refuse(format, "it needs parser and write");
  added.push_back(format);
  known_formats().push_back(&added.back());
}

void write_impression(const LogFormat& format, const Impression& impression, std::uint64_t session,
                      std::string& out) {
  ask(format, [&] { format.write(impression, session, out); });
}

const LogFormat& log_format(std::string_view name) {
  return *choose("--format", name, log_formats(), &LogFormat::name);
}

}  // namespace dcmrank

#include "dcmrank/manual/offer.h"

#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace dcmrank::manual {
namespace {

// An option keeps its words as the name of a check that is never made: it has no other place for
// what somebody else wants to know of it.
constexpr std::string_view kMark = "offers:";

}  // namespace

CLI::Option* offer(CLI::Option* option, const std::vector<std::string>& words) {
  CLI::Validator carrier("");
  carrier.name(fmt::format("{} {}", kMark, fmt::join(words, " "))).active(false);
  return option->check(carrier);
}

std::vector<std::string> offered(CLI::Option& option) {
  try {
    for (int n = 0;; ++n) {
      const std::string name = option.get_validator(n)->get_name();
      if (!name.starts_with(kMark)) continue;
      std::vector<std::string> words = CLI::detail::split(name, ' ');
      words.erase(words.begin());
      return words;
    }
  } catch (const CLI::OptionNotFound&) {  // there are no more
    return {};
  }
}

}  // namespace dcmrank::manual

#include "dcmrank/terminal/fit_options.h"

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {
namespace {

constexpr std::uint64_t kMostFitted = 1'000'000'000'000;

const Choices<bool> kShared{{"per-query", false}, {"shared", true}};

double parse_number(const char* option, std::string_view text, double most) {
  const auto value = parse_double(text);
  if (!value || !(*value >= 0 && *value <= most)) {
    throw InputError(fmt::format("{} is {}, not a number from 0 to {}", option, quote(text), most));
  }
  return *value;
}

Prior parse_prior(const std::string& text) {
  const auto parts = split(text, ',');
  if (parts.size() != 2) {
    throw InputError(fmt::format("--prior is {}, not two numbers A,B", quote(text)));
  }
  return {parse_number("--prior", parts[0], 1e9), parse_number("--prior", parts[1], 1e9)};
}

}  // namespace

FitOptions fit_options(const FitArguments& arguments, const Context& context) {
  FitOptions options;
  options.shared = choose("--termination", arguments.termination, kShared);
  options.prior = parse_prior(arguments.prior);
  options.tolerance = parse_number("--tolerance", arguments.tolerance, 1);
  options.max_iterations = parse_count("--max-iterations", arguments.max_iterations, kMostFitted);
  options.stop = context.stop;
  return options;
}

QueryChoice query_choice(const FitArguments& arguments) {
  QueryChoice selection;
  if (!arguments.top.empty()) selection.top = parse_count("--top", arguments.top, kMostFitted);
  selection.min_impressions =
      static_cast<double>(parse_count("--min-impressions", arguments.min_impressions, kMostFitted));
  return selection;
}

std::size_t most_tails(const FitArguments& arguments) {
  return parse_count("--max-tails", arguments.max_tails, kMostFitted);
}

void add_fit_options(CLI::App& command, FitArguments& arguments) {
  const auto option = [&](const char* name, std::string& value, const char* help,
                          const char* type) {
    return command.add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  manual::offer(option("--termination", arguments.termination,
                       "Terminations: per-query, or shared by all queries", "T"),
                words_of(kShared));
  option("--prior", arguments.prior,
         "A probability is (successes + A)/(trials + A + B); 0,0 gives the raw ratio", "A,B");
  option("--top", arguments.top, "Keep only the N most frequent queries", "N");
  option("--min-impressions", arguments.min_impressions,
         "Keep only queries with at least N impressions", "N");
  option("--tolerance", arguments.tolerance,
         "EM stops when its last steps indicate that less than X of log-likelihood per impression "
         "is left to gain",
         "X");
  option("--max-iterations", arguments.max_iterations, "EM stops after at most N iterations", "N");
  option("--max-tails", arguments.max_tails,
         "EM keeps at most N distinct tails (the items below a last click) in memory; with more, "
         "'fit' reads the log again in each iteration",
         "N");
}

}  // namespace dcmrank::command

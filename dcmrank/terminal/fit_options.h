#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/terminal/context.h"

namespace dcmrank::command {

/// How models are fitted: what commands that fit them share.
struct FitArguments {
  std::string termination = "per-query";
  std::string prior = "1,1";
  std::string top;
  std::string min_impressions = "1";
  std::string tolerance = "1e-9";
  std::string max_iterations = "2000";
  std::string max_tails = "2000000";
};

/// --termination, --prior, --top, --min-impressions, --tolerance, --max-iterations, --max-tails.
void add_fit_options(CLI::App& command, FitArguments& arguments);

/// All but the method and the threads.
FitOptions fit_options(const FitArguments& arguments, const Context& context);
QueryChoice query_choice(const FitArguments& arguments);
std::size_t most_tails(const FitArguments& arguments);

}  // namespace dcmrank::command

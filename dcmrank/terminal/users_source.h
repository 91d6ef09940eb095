#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "dcmrank/fit/fitted.h"

namespace dcmrank::command {

/// Whose users a command simulates: those of one problem, or of all queries of a fitted model.
struct UsersSource {
  std::string problem;
  std::string query;
  std::string model;
  std::string min_shown;
};

/// --problem P and --query ID, or --model MODEL.json; --min-shown N.
void add_users_options(CLI::App& command, UsersSource& source);

/// A problem becomes a model of one query: that of the model it is from, with its ids, else "1"
/// with items 1 to L. Throws InputError unless one of the two was given; `else_meant` says what
/// else who gave both may have meant by --model.
FittedModel read_users(const UsersSource& source, const std::string& else_meant = "");

}  // namespace dcmrank::command

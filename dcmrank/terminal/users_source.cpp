#include "dcmrank/terminal/users_source.h"

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/model_file/seldom_shown.h"
#include "dcmrank/model_file/stand_ins.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/users/model_problem.h"
#include "dcmrank/users/problem.h"

namespace dcmrank::command {

void add_users_options(CLI::App& command, UsersSource& source) {
  add_problem_option(command, source.problem, source.query);
  command.get_option("--problem")->required(false);
  command
      .add_option(
          "--model", source.model,
          "Instead of --problem: a model written by 'dcmrank fit', with all its queries, each as "
          "often as in its log")
      ->type_name("MODEL.json");
  add_min_shown_option(command, source.min_shown);
}

FittedModel read_users(const UsersSource& source, const std::string& else_meant) {
  if (source.problem.empty() && source.model.empty()) {
    throw InputError("one of --problem and --model is needed");
  }
  if (!source.problem.empty() && !source.model.empty()) {
    throw InputError("--problem and --model exclude each other: each says who the users are" +
                     else_meant);
  }
  const std::uint64_t min_shown = parse_min_shown(source.min_shown);
  claim_input(source.model.empty() ? source.problem : source.model);
  if (source.model.empty()) {
    const Problem problem = read_problem(source.problem, source.query, "", min_shown);
    if (!follows_click_model(problem)) {
      throw InputError(
          fmt::format("{}: users of the kind {} follow no click model, and only such "
                      "users are known here",
                      source.problem, quote(problem.model())));
    }
    print_note(problem.note());
    return model_of(problem);
  }
  if (!source.query.empty()) throw InputError("--query needs --problem");
  FittedModel model = read_model(source.model);
  print_note(unfinished_note(model, source.model));
  print_note(leave_out_seldom(model, min_shown, source.model));
  if (const std::size_t count = unidentified_count(model); count > 0) {
    print_note(
        fmt::format("{}: {} of its numbers, which the log could not tell, are used as fitted",
                    source.model, count));
  }
  return model;
}

}  // namespace dcmrank::command

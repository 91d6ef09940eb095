#include "dcmrank/command/sweep_latex.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/sweep/columns.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

using LatexRows = std::vector<std::vector<std::string>>;

// Of class lb, which is named by them.
const std::vector<std::string>& class_parameters() {
  static const std::vector<std::string> names{"L", "K", "p", "gap", "gamma"};
  return names;
}

// "lb" of a problem that is one of a class by its parameters; nothing for others.
std::optional<std::string> class_of(const SweepProblem& problem) {
  constexpr std::string_view kSource = "class ";
  for (const auto& [name, value] : problem.parameters) {
    const auto* text = std::get_if<std::string>(&value);
    if (name == "source" && text != nullptr && text->starts_with(kSource)) {
      return text->substr(kSource.size());
    }
  }
  return std::nullopt;
}

std::string parameter_text(const Cell& cell) { return is_missing(cell) ? "-" : text_in(cell); }

// The rows of cells, with the parameters of classes behind the problem, which is then called by its
// class alone. As they are where there is no class, or names would no longer tell problems apart.
LatexRows with_parameters(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                          const std::vector<std::size_t>& places, LatexRows rows) {
  LatexRows given = rows;
  const DataTable table = sweep_rows(plan, cells);
  const auto& names = class_parameters();
  const bool any = std::any_of(places.begin(), places.end(), [&](std::size_t place) {
    return class_of(plan.problems[cells[place].problem]).has_value();
  });
  if (!any) return rows;
  rows.front().insert(rows.front().begin() + 1, names.begin(), names.end());
  std::map<std::vector<std::string>, std::size_t> problems;  // by name and parameters
  for (std::size_t r = 0; r < places.size(); ++r) {
    const std::size_t place = places[r];
    const std::size_t problem = cells[place].problem;
    auto& row = rows[r + 1];
    row.front() = class_of(plan.problems[problem]).value_or(row.front());
    std::vector<std::string> key{row.front(), plan.problems[problem].problem.reward()};
    for (const std::string& name : names) {
      key.push_back(parameter_text(table.rows[place][column_of("", name, table)]));
    }
    if (problems.emplace(key, problem).first->second != problem) return given;
    row.insert(row.begin() + 1, key.begin() + 2, key.end());
  }
  return rows;
}

bool is_result(const std::string& column) {
  return column == "regret" || column == "difference" || column == "linear runs";
}

// Words for the name of a column.
std::string words_for(std::string column) {
  if (column == "gamma") return "γ";
  if (column == "reward_kind") return "reward";
  std::replace(column.begin(), column.end(), '_', ' ');
  return column;
}

// What all rows have in common, by the column that has it.
struct Common {
  std::string column;
  std::string text;
};

// In the words of the note.
std::string common_text(const std::string& column, const std::string& value) {
  if (column == "problem") return value == "lb" ? "class lb" : "problem " + value;
  if (column == "source") return value;  // "class lb"
  if (column == "policy") return "policy " + value;
  if (column == "steps") return value == "1" ? "1 step" : value + " steps";
  if (column == "cells") return value == "1" ? "1 cell each" : value + " cells each";
  return fmt::format("{} = {}", words_for(column), value);
}

// The one value of a column; where parameters of classes are concerned, of the rows that have it.
std::optional<std::string> value_of(const LatexRows& rows, std::size_t column) {
  const auto& classes = class_parameters();
  const std::string& name = rows.front()[column];
  const bool may_lack = std::find(classes.begin(), classes.end(), name) != classes.end();
  std::set<std::string> values;
  for (std::size_t r = 1; r < rows.size(); ++r) values.insert(rows[r][column]);
  if (may_lack && values.size() > 1) values.erase("-");
  if (values.size() != 1) return std::nullopt;
  return *values.begin();
}

bool lacks(const LatexRows& rows, std::size_t column) {
  return std::any_of(rows.begin() + 1, rows.end(),
                     [&](const auto& row) { return row[column] == "-"; });
}

// Takes the columns that are the same in all rows out of them; returns what these say.
std::vector<Common> take_common(LatexRows& rows) {
  std::vector<Common> common;
  std::vector<std::size_t> kept;
  std::size_t telling = 0;
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    const std::string& column = rows.front()[c];
    const auto value = value_of(rows, c);
    const bool empty = value == "-";
    // A table of one row still says which policy it is about.
    const bool last_word = column == "policy" && telling == 0 && rows.size() == 2;
    if (!empty && (!value || is_result(column) || last_word)) {
      telling += is_result(column) ? 0 : 1;
      kept.push_back(c);
    } else if (!empty) {
      common.push_back(
          {column, common_text(column, *value) + (lacks(rows, c) ? " (class lb)" : "")});
    }
  }
  for (auto& row : rows) {
    std::vector<std::string> left;
    left.reserve(kept.size());
    for (const std::size_t c : kept) left.push_back(row[c]);
    row = left;
  }
  return common;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the rows do not show because it tells none apart, and all of their cells have in common.
// Parameters of classes may be lacking elsewhere.
std::vector<Common> common_of_cells(const DataTable& table, const std::vector<std::size_t>& places,
                                    const std::vector<std::string>& shown) {
  // What legends say, or what follows from another column.
  static const std::vector<std::string> kSaid{"problem", "reward_kind", "best_list_searched",
                                              "policy",  "runs",        "seed"};
  std::vector<Common> common;
  bool is_class = false;
  for (std::size_t c = 0; c < table.heading.size(); ++c) {
    const std::string& name = table.heading[c];
    if (is_measured(name) || name.starts_with("policy_")) continue;
    if (is_one_of(name, kSaid) || is_one_of(name, shown)) continue;
    std::set<std::string> values;
    bool lacking = false;
    for (const std::size_t place : places) {
      const Cell& cell = table.rows[place][c];
      if (is_missing(cell)) {
        lacking = true;
      } else {
        values.insert(text_in(cell));
      }
    }
    if (values.size() != 1 || (lacking && !is_one_of(name, class_parameters()))) continue;
    const std::string& value = *values.begin();
    const bool names_class = name == "source" && value.starts_with("class ");
    is_class = is_class || names_class;
    // A problem that is shown says where it is from.
    if (name == "source" && (!names_class || is_one_of("problem", shown))) continue;
    common.push_back({name, common_text(name, value) + (lacking ? " (class lb)" : "")});
  }
  if (is_class) std::erase_if(common, [](const Common& one) { return one.column == "model"; });
  return common;
}

// Who is asked first, in which world, then for how long.
std::size_t place_in_note(const std::string& column) {
  static const std::vector<std::string> kFirst{"problem", "source", "model", "L",
                                               "K",       "p",      "gap",   "gamma"};
  static const std::vector<std::string> kLast{"policy", "steps", "cells"};
  const auto first = std::find(kFirst.begin(), kFirst.end(), column) - kFirst.begin();
  const auto last = std::find(kLast.begin(), kLast.end(), column);
  if (last == kLast.end()) return static_cast<std::size_t>(first);
  return kFirst.size() + 1 + static_cast<std::size_t>(last - kLast.begin());
}

// "class lb, L = 16, 2000 steps, 4 runs, seed 1".
std::string note_of(std::vector<Common> common, const SweepPlan& plan) {
  std::stable_sort(common.begin(), common.end(), [](const Common& a, const Common& b) {
    return place_in_note(a.column) < place_in_note(b.column);
  });
  std::vector<std::string> texts;
  texts.reserve(common.size());
  for (const Common& one : common) texts.push_back(one.text);
  texts.push_back(how_many(plan.runs, "run"));
  texts.push_back(fmt::format("seed {}", plan.seed));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string sweep_latex(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                        const SweepTable& shown) {
  const DataTable table = sweep_rows(plan, cells);
  const auto places = places_where(shown.where, table);
  LatexRows rows = sweep_text(plan, cells, shown);
  if (shown.by.empty()) rows = with_parameters(plan, cells, places, std::move(rows));
  const std::vector<std::string> columns = rows.front();
  std::vector<Common> common = take_common(rows);
  for (Common& one : common_of_cells(table, places, columns)) common.push_back(std::move(one));
  for (std::string& column : rows.front()) column = words_for(column);
  return latex_table(rows, fmt::format("All rows: {}. {}", note_of(std::move(common), plan),
                                       sweep_legend(plan, cells, shown)));
}

}  // namespace dcmrank::command

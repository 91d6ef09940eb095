#include "tables.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace dcmrank::bench {
namespace {

std::string heading(const std::string& first, const Row& row) {
  std::string line = fmt::format("| {} |", first);
  std::string rule = "| --- |";
  for (const PolicyResult& result : row.results) {
    line += fmt::format(" {} |", result.policy);
    rule += " ---: |";
  }
  return line + "\n" + rule + "\n";
}

double total(const Rows& rows, std::size_t policy) {
  double sum = 0;
  for (const Row& row : rows) sum += row.results[policy].regret.mean;
  return sum;
}

// What is summed over the problems and then compared: by run; where each problem has a single run,
// by problem.
std::vector<double> totals(const Rows& rows, std::size_t policy) {
  const std::size_t runs = rows.front().results[policy].regret_per_run.size();
  std::vector<double> sums(runs > 1 ? runs : rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& per_run = rows[i].results[policy].regret_per_run;
    for (std::size_t r = 0; r < runs; ++r) sums[runs > 1 ? r : i] += per_run[r];
  }
  return sums;
}

std::string error_text(const Summary& value, int digits) {
  return value.has_error() ? fmt::format("{:.{}f}", value.stderr_, digits) : "-";
}

// The ratio of a policy's sum to the first one's, paired, with its error: "0.312 (0.004)".
std::string ratio_text(const Rows& rows, std::size_t policy) {
  const Summary ratio = paired_ratio(totals(rows, policy), totals(rows, 0));
  return policy == 0 ? "1"
                     : fmt::format("{:.3f} ({})", total(rows, policy) / total(rows, 0),
                                   error_text(ratio, 3));
}

std::string numbers(std::span<const double> values) {
  std::vector<std::string> parts;
  for (const double value : values) {
    const std::string text = fmt::format("{:.2f}", value);
    parts.push_back(text.substr(text.front() == '0' ? 1 : 0));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

std::string regret_table(const Rows& rows) {
  std::string text = heading("problem", rows.front());
  auto out = std::back_inserter(text);
  for (const Row& row : rows) {
    fmt::format_to(out, "| {} |", row.problem.name);
    for (const PolicyResult& result : row.results) {
      fmt::format_to(out, " {:.1f} ({}) |", result.regret.mean, error_text(result.regret, 1));
    }
    text += '\n';
  }
  if (rows.size() == 1) return text;
  text += "| sum |";
  for (std::size_t p = 0; p < rows.front().results.size(); ++p) {
    fmt::format_to(out, " {:.0f} |", total(rows, p));
  }
  text += "\n| times the first |";
  for (std::size_t p = 0; p < rows.front().results.size(); ++p) {
    fmt::format_to(out, " {} |", ratio_text(rows, p));
  }
  return text + "\n";
}

std::string difference_table(const Rows& rows) {
  std::string text = heading("difference to the first, run by run", rows.front());
  auto out = std::back_inserter(text);
  for (const Row& row : rows) {
    fmt::format_to(out, "| {} | |", row.problem.name);
    for (std::size_t p = 1; p < row.results.size(); ++p) {
      const Summary difference =
          paired_difference(row.results[p].regret_per_run, row.results[0].regret_per_run);
      fmt::format_to(out, " {:+.1f} ({}) |", difference.mean, error_text(difference, 1));
    }
    text += '\n';
  }
  return text;
}

std::string summary_table(const Rows& rows) {
  std::string text =
      "| policy | sum of regrets | ratio | below the first on | look linear | largest regret |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (std::size_t p = 0; p < rows.front().results.size(); ++p) {
    std::size_t below = 0;
    std::size_t linear = 0;
    double largest = 0;
    for (const Row& row : rows) {
      below += row.results[p].regret.mean < row.results[0].regret.mean ? 1 : 0;
      linear += looks_linear(row.results[p]) ? 1 : 0;
      largest = std::max(largest, row.results[p].regret.mean);
    }
    fmt::format_to(std::back_inserter(text), "| {} | {:.0f} | {} | {} of {} | {} | {:.1f} |\n",
                   rows.front().results[p].policy, total(rows, p), ratio_text(rows, p), below,
                   rows.size(), linear, largest);
  }
  return text;
}

std::string failure_table(const Rows& rows, std::size_t which) {
  std::string text =
      "| problem | L | K | terminations | regret | first policy's | late share |\n"
      "| --- | ---: | ---: | --- | ---: | ---: | ---: |\n";
  for (const Row& row : rows) {
    const PolicyResult& result = row.results[which];
    const double first = row.results[0].regret.mean;
    if (result.regret.mean < first && !looks_linear(result)) continue;
    const Dcm& dcm = row.problem.dcm;
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.2f} |\n",
                   row.problem.name, dcm.items(), dcm.positions(), numbers(dcm.termination),
                   result.regret.mean, first, late_share(result));
  }
  return text;
}

std::string csv_lines(const std::string& suite, const Rows& rows) {
  std::string text;
  for (const Row& row : rows) {
    for (const PolicyResult& result : row.results) {
      fmt::format_to(std::back_inserter(text), "{};{};{};{};{};{};{};{}\n", suite, row.problem.name,
                     result.policy, result.curve_steps.back(), result.regret_per_run.size(),
                     result.regret.mean,
                     result.regret.has_error() ? fmt::format("{}", result.regret.stderr_) : "",
                     regret_at(result, .5).mean);
    }
  }
  return text;
}

}  // namespace dcmrank::bench

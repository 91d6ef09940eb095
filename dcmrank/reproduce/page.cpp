#include "dcmrank/reproduce/page.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "dcmrank/html/html.h"

namespace dcmrank {
namespace {

using Out = std::back_insert_iterator<std::string>;

// The verdict in words; why, where it is none.
std::string verdict(const Verdict& verdict) {
  const std::string word = words(verdict.outcome);
  if (verdict.outcome == Outcome::kHolds) return fmt::format("<b class=\"yes\">{}</b>", word);
  if (verdict.outcome == Outcome::kDoesNotHold) return fmt::format("<b class=\"no\">{}</b>", word);
  return fmt::format("<b class=\"open\">{}</b><br><small>{}</small>", word,
                     html(verdict.reason.substr(word.size() + 2)));
}

void add_claims(Out out, const std::vector<FinishedPart>& parts, bool beyond) {
  if (std::none_of(parts.begin(), parts.end(),
                   [&](const FinishedPart& p) { return p.part.beyond == beyond; })) {
    return;
  }
  fmt::format_to(out,
                 "<div class=\"scroll\"><table class=\"claims\"><thead><tr><th>{}</th>"
                 "<th>measured</th><th></th></tr></thead><tbody>\n",
                 beyond ? "what we add" : "what the paper says");
  for (const auto& [part, seconds] : parts) {
    if (part.beyond != beyond) continue;
    for (const Claim& claim : part.claims) {
      fmt::format_to(out,
                     "<tr id=\"{0}\"><td>{1}<br><small><a href=\"#{5}\">{5}</a>; rule: {2}</small>"
                     "</td><td>{3}</td><td>{4}</td></tr>\n",
                     claim.id, html(claim.paper), html(claim.rule), html(claim.measured),
                     verdict(claim.verdict), part.id);
    }
  }
  fmt::format_to(out, "</tbody></table></div>\n");
}

void add_part(Out out, const FinishedPart& finished, const ReproduceOptions& options) {
  const Part& part = finished.part;
  fmt::format_to(out, "<section id=\"{}\"><h2>{}{}</h2>\n", part.id, html(part.title),
                 part.beyond ? " <span class=\"ours\">ours</span>" : "");
  fmt::format_to(out, "<figure>{}<figcaption>{}</figcaption></figure>\n",
                 inline_svg(options.out / (part.id + ".svg"), part.id), html(part.caption));
  fmt::format_to(out, "{}", html_table(part.table));
  fmt::format_to(out,
                 "<p class=\"files\"><a href=\"{0}.svg\">SVG</a> <a href=\"{0}.pdf\">PDF</a> "
                 "<a href=\"{0}.csv\">CSV</a> · rerun just this: <code>{1} --only {0}</code></p>\n"
                 "</section>\n",
                 part.id, html(options.command));
}

void add_contents(Out out, const std::vector<FinishedPart>& parts) {
  fmt::format_to(out, "<nav><ol><li><a href=\"#claims\">Claims</a></li>");
  for (const auto& [part, seconds] : parts) {
    fmt::format_to(out, "<li><a href=\"#{}\">{}</a></li>", part.id, html(part.title));
  }
  fmt::format_to(out, "<li><a href=\"#how\">How this page was made</a></li></ol></nav>\n");
}

bool any_of_log(const std::vector<FinishedPart>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const auto& p) { return p.part.of_log; });
}

void add_how(Out out, const Setting& setting, const ReproduceOptions& options,
             const std::vector<FinishedPart>& parts) {
  const double seconds =
      std::accumulate(parts.begin(), parts.end(), 0.0,
                      [](double sum, const FinishedPart& part) { return sum + part.seconds; });
  fmt::format_to(out, "<section id=\"how\"><h2>How this page was made</h2>\n");
  TextTable rows{{"what", "value"},
                 {"command", options.command},
                 {"dcmrank", DCMRANK_VERSION},
                 {"size", setting.quick ? "quick (not the paper's)" : "the paper's"},
                 {"seed", fmt::format("{}", options.seed)}};
  if (any_of_log(parts)) rows.push_back({"log", setting.queries.source});
  rows.push_back({"machine", machine()});
  rows.push_back({"wall time of this run", fmt::format("{:.1f} s", seconds)});
  fmt::format_to(out, "{}", html_table(rows));
  fmt::format_to(
      out,
      "<p>Errors are standard errors of the mean over the runs. All policies of a figure "
      "face the same users, and are compared run by run: the error of a difference or a ratio is "
      "computed from its values in the runs. The same seed gives the same numbers on any number of "
      "threads.</p></section>\n");
}

}  // namespace

std::string page(const Setting& setting, const ReproduceOptions& options,
                 const std::vector<FinishedPart>& parts) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(
      out,
      "<p>{} of <cite>DCM Bandits: Learning to Rank with Multiple "
      "Clicks</cite> (Katariya, Kveton, Szepesvári, Wen, ICML 2016), run again{}. What is "
      "marked <span class=\"ours\">ours</span> is not in the paper.</p>\n",
      parts.size() == part_plans().size() ? "Every experiment" : "A part of the experiments",
      setting.quick ? ", <b>in a quick version with fewer steps and runs</b>" : "");
  add_contents(out, parts);
  fmt::format_to(out, "<section id=\"claims\"><h2>Claims</h2>\n");
  add_claims(out, parts, false);
  add_claims(out, parts, true);
  fmt::format_to(out, "</section>\n");
  for (const FinishedPart& part : parts) add_part(out, part, options);
  add_how(out, setting, options, parts);
  return html_page("DCM Bandits, reproduced", text);
}

}  // namespace dcmrank

#include "dcmrank/arena/report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/arena/results.h"
#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/plot/draw.h"
#include "dcmrank/sim/net_regret.h"

namespace dcmrank {
namespace {

std::string net_text(const Standing& standing) {
  if (!standing.judged) return "-";
  std::string text = standing.net.has_error()
                         ? fmt::format("{:.1f} ± {:.1f}", standing.net.mean, standing.net.stderr_)
                         : fmt::format("{:.1f}", standing.net.mean);
  if (standing.linear_runs > 0) text += fmt::format(" [{}]", standing.linear_runs);
  if (!standing.holds) text += " *";
  return text;
}

// Very many worlds are read as shares: each column goes from its best world to its worst.
void sort_columns(std::vector<HeatRow>& rows) {
  for (std::size_t c = 0; c < rows.front().values.size(); ++c) {
    std::vector<std::pair<double, std::uint8_t>> column;
    column.reserve(rows.size());
    for (const HeatRow& row : rows) column.emplace_back(row.values[c], row.is_marked[c]);
    std::sort(column.begin(), column.end(), [](const auto& a, const auto& b) {
      const bool last = std::isnan(a.first) || std::isnan(b.first);
      return last ? std::isnan(a.first) < std::isnan(b.first) : a < b;
    });
    for (std::size_t r = 0; r < rows.size(); ++r) {
      rows[r].values[c] = column[r].first;
      rows[r].is_marked[c] = column[r].second;
    }
  }
}

std::string figure_caption(const HeatMap& map) {
  std::string text =
      "Net regret of each policy as a multiple of the best policy's in the same world: blue is at "
      "most twice, orange and brown are more. A triangle marks linear runs. By the rule below a "
      "policy holds where it is blue and has no triangle.";
  if (!has_room_for_labels(map)) {
    text +=
        " There are too many worlds for a line of their own: each column of a kind goes from its "
        "best world to its worst, and shows shares.";
  }
  return text;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

HeatMap arena_figure(const ArenaOptions& options, const ArenaResult& result) {
  HeatMap map;
  map.title = fmt::format("Net regret by world, {} steps, {} runs: times the best policy there",
                          options.steps, options.runs);
  for (const std::string& policy : options.policies) {
    const auto named = options.names.find(policy);
    map.columns.push_back(named == options.names.end() ? policy : named->second);
  }
  map.classes = {{1.1, "at most 1.1 times the best"},
                 {1.5, "at most 1.5 times"},
                 {kHeldWithin, "at most 2 times"},
                 {3, "at most 3 times"},
                 {5, "at most 5 times"},
                 {0, "more"}};
  map.mark_label = "has linear runs: does not hold";
  for (const WorldOutcome& outcome : result.worlds) {
    const std::string& kind = outcome.world.kind();
    if (map.groups.empty() || map.groups.back().label != kind) map.groups.push_back({kind, {}});
    HeatRow row{outcome.world.name, {}, {}};
    for (const Standing& standing : outcome.standings) {
      row.values.push_back(standing.times_best.mean);
      row.is_marked.push_back(standing.linear_runs > 0 ? 1 : 0);
    }
    map.groups.back().rows.push_back(std::move(row));
  }
  if (has_room_for_labels(map)) return map;
  for (HeatGroup& group : map.groups) {
    sort_columns(group.rows);
    group.label += fmt::format(" ({})", group.rows.size());
  }
  return map;
}

TextTable tally_table(const ArenaOptions& options, const ArenaResult& result) {
  TextTable rows{{"kind", "policy", "holds in", "linear runs", "times the first", "worst world",
                  "times the best there"}};
  const std::string all = "all";
  for (const Tally& tally : result.tallies) {
    const std::string& kind = tally.kind.empty() ? all : tally.kind;
    const std::string& policy = options.policies[tally.policy];
    if (tally.worlds == 0) {
      rows.push_back({kind, policy, "-", "-", "-", "-", "-"});
      continue;
    }
    rows.push_back(
        {kind, policy, fmt::format("{} of {}", tally.held, tally.worlds),
         fmt::format("{}", tally.linear_runs), tally.policy == 0 ? "1" : text(tally.times_first),
         tally.worst,
         tally.worst_best < kLinearLeast ? "-" : fmt::format("{:.2f}", tally.worst_times)});
  }
  return rows;
}

TextTable world_table(const ArenaResult& result) {
  TextTable rows{{"world", "kind", "L", "K", "reward", "floor"}};
  const std::size_t policies = result.worlds.front().standings.size();
  for (std::size_t p = 0; p < policies; ++p) rows.front().push_back(fmt::format("({})", p + 1));
  for (const auto& [world, floor, standings] : result.worlds) {
    rows.push_back({world.name, world.kind(), fmt::format("{}", world.problem.items()),
                    fmt::format("{}", world.problem.positions()), world.problem.reward(),
                    floor ? fmt::format("{:.0f}", *floor) : "-"});
    for (const Standing& standing : standings) rows.back().push_back(net_text(standing));
  }
  return rows;
}

std::string unknown_floors_note(const ArenaResult& result) {
  const auto unknown = std::count_if(result.worlds.begin(), result.worlds.end(),
                                     [](const WorldOutcome& outcome) { return !outcome.floor; });
  if (unknown == 0) return "";
  return fmt::format(
      "In {} of {} worlds it is not known what the best list sorted by attraction loses "
      "(facts.floor of their users): there is no net regret there and no verdict, and what is said "
      "over worlds leaves them out.",
      unknown, result.worlds.size());
}

std::string short_note(const ArenaOptions& options) {
  constexpr std::uint64_t kEnough = 10'000;
  if (options.steps >= kEnough) return "";
  return fmt::format(
      "Too short to tell: within {} a policy that is still learning looks linear, and one that "
      "never learns may not be far behind. Use at least {} steps before calling a policy linear, "
      "or "
      "saying that it holds.",
      how_many(options.steps, "step"), kEnough);
}

std::string order_note(const ArenaOptions& options) {
  return options.order_told
             ? "Policies that take an order of positions, or their examination, were told the "
               "world's (as order=problem does in simulate, which tells nothing by itself); "
               "--order top leaves them with their own assumptions."
             : "Policies were not told the order of positions, nor their examination: unless they "
               "were given one or learn it, they take the order from the top.";
}

std::string arena_page(const ArenaOptions& options, const ArenaResult& result,
                       const std::vector<std::string>& notes) {
  std::string body;
  const auto out = std::back_inserter(body);
  fmt::format_to(
      out,
      "<p>{} policies in {} worlds: simulated users of several kinds, {} steps, {} runs. "
      "All policies of a world meet the same users.</p>\n",
      options.policies.size(), result.worlds.size(), options.steps, options.runs);
  fmt::format_to(out, "<figure>{}<figcaption>{}</figcaption></figure>\n",
                 inline_svg(options.out / "arena.svg", "arena"),
                 html(figure_caption(arena_figure(options, result))));
  fmt::format_to(out, "<p>{}</p>\n", html(arena_rule()));
  if (const std::string note = short_note(options); !note.empty()) {
    fmt::format_to(out, "<p>{}</p>\n", html(note));
  }
  if (const std::string note = unknown_floors_note(result); !note.empty()) {
    fmt::format_to(out, "<p>{}</p>\n", html(note));
  }
  fmt::format_to(out,
                 "<section id=\"kinds\"><h2>By kind of user</h2>\n{}<p>\"Times the first\" is the "
                 "geometric mean over the worlds of the net regret as a multiple of the first "
                 "policy's; its error is that over the worlds.</p></section>\n",
                 html_table(tally_table(options, result)));
  fmt::format_to(out, "<section id=\"worlds\"><h2>By world</h2>\n<p>Net regret of");
  for (std::size_t p = 0; p < options.policies.size(); ++p) {
    fmt::format_to(out, "{} ({}) <code>{}</code>", p == 0 ? "" : ",", p + 1,
                   html(options.policies[p]));
  }
  fmt::format_to(
      out,
      ". In square brackets: linear runs; a star: it does not hold. Floor: what the best "
      "list sorted by attraction loses over a run against the best list, which for some "
      "kinds of users is one found by exchanges.</p>\n{}</section>\n",
      html_table(world_table(result)));
  fmt::format_to(out, "<section id=\"how\"><h2>How this page was made</h2>\n");
  TextTable rows{{"what", "value"},
                 {"command", options.command},
                 {"dcmrank", DCMRANK_VERSION},
                 {"seed", fmt::format("{}", options.seed)},
                 {"order and examination of positions",
                  options.order_told ? "told to policies that take them" : "not told"},
                 {"reward", options.reward.empty() ? "usual for the users' model" : options.reward},
                 {"machine", machine()}};
  body += html_table(rows);
  for (const std::string& note : notes) fmt::format_to(out, "<p>{}</p>\n", html(note));
  fmt::format_to(out,
                 "<p class=\"files\"><a href=\"arena.svg\">SVG</a> <a href=\"arena.csv\">CSV</a> "
                 "<a href=\"arena.json\">JSON</a></p></section>\n");
  return html_page("Which policy holds where", body);
}

void write_arena(const ArenaOptions& options, const ArenaResult& result,
                 const std::vector<std::string>& notes) {
  draw(arena_figure(options, result), options.out / "arena.svg");
  write_text(options.out / "arena.json", print_json(arena_to_json(options, result)));
  write_text(options.out / "arena.csv", to_csv(arena_rows(options, result)));
  write_text(options.out / "arena.html", arena_page(options, result, notes));
}

}  // namespace dcmrank

#include "dcmrank/reproduce/reproduce.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/csv.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/grid/running_program.h"
#include "dcmrank/plot/draw.h"
#include "dcmrank/reproduce/page.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

void write_whole(const std::filesystem::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void write_part(const Part& part, const std::filesystem::path& out) {
  draw(part.figure, out / (part.id + ".svg"));
  draw(part.figure, out / (part.id + ".pdf"));
  write_whole(out / (part.id + ".csv"), to_csv(part.data));
}

// What can be said of a claim in this setting.
void judge(const PartPlan& plan, const Setting& setting, Claim& claim) {
  if (plan.of_log && setting.queries.generated) {
    claim.measured = "on the generated log: " + claim.measured;
    claim.verdict = not_tested("needs a real log (--log)");
  } else if (plan.of_log && setting.queries.queries.size() < kFewestQueries) {
    claim.verdict = not_tested(
        fmt::format("the log has {} to rank, and a claim about its queries needs at least {}",
                    how_many(setting.queries.queries.size(), "query", "queries"), kFewestQueries));
  } else if (setting.quick && claim.length != Length::kAny) {
    const bool told = claim.length == Length::kUseful && claim.verdict.holds();
    if (!told)
      claim.verdict = too_short("the run is quick, but the claim is about the paper's size");
  }
}

FinishedPart run_part(const PartPlan& plan, const Setting& setting, const TrialStore& store,
                      const ExperimentControl& control) {
  const auto start = std::chrono::steady_clock::now();
  const auto results = store.get(plan.trials(setting), control);
  FinishedPart finished{plan.present(setting, results), 0};
  finished.part.of_log = plan.of_log;
  for (Claim& claim : finished.part.claims) judge(plan, setting, claim);
  if (setting.quick) {
    finished.part.figure.title += " (quick: fewer steps and runs)";
    finished.part.caption = "Quick run, not the paper's size. " + finished.part.caption;
  }
  finished.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finished;
}

ordered_json to_json(const Cell& cell) {
  return std::visit([](const auto& value) { return ordered_json(value); }, cell);
}

ordered_json table_to_json(const DataTable& table) {
  ordered_json rows = ordered_json::array();
  for (const auto& cells : table.rows) {
    ordered_json row;
    for (std::size_t c = 0; c < cells.size(); ++c) row[table.heading[c]] = to_json(cells[c]);
    rows.push_back(std::move(row));
  }
  return rows;
}

// true, false, or null where it cannot be told.
ordered_json holds_to_json(const Verdict& verdict) {
  if (verdict.outcome == Outcome::kHolds) return true;
  if (verdict.outcome == Outcome::kDoesNotHold) return false;
  return nullptr;
}

}  // namespace

std::span<const PartPlan> part_plans() {
  static const std::array plans{kFig1a, kFig1b, kFig1c,       kFig2a,     kFig2b,
                                kFig2c, kBias,  kRecommended, kOtherUsers};
  return plans;
}

std::vector<const PartPlan*> chosen_plans(const std::vector<std::string>& only) {
  std::vector<std::string> ids;
  for (const PartPlan& plan : part_plans()) ids.push_back(plan.id);
  for (const std::string& id : only) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      throw InputError(fmt::format("--only {} is unknown{}; the parts are {}", quote(id),
                                   suggestion(id, ids), fmt::join(ids, ", ")));
    }
  }
  std::vector<const PartPlan*> chosen;
  for (const PartPlan& plan : part_plans()) {
    const bool wanted = only.empty() || std::find(only.begin(), only.end(), plan.id) != only.end();
    if (wanted) chosen.push_back(&plan);
  }
  return chosen;
}

std::vector<FinishedPart> reproduce(const Setting& setting, const ReproduceOptions& options,
                                    const ReproduceControl& control) {
  const auto plans = chosen_plans(options.only);
  const auto kept = options.out / "trials";
  if (options.fresh) forget_trials(kept);
  const TrialStore store(kept, running_program(), options.seed, options.threads);
  std::uint64_t total = 0;
  for (const PartPlan* plan : plans) {
    for (const Trial& trial : plan->trials(setting)) total += trial.work();
  }
  if (control.on_start) control.on_start(total);
  std::vector<FinishedPart> parts;
  std::vector<std::future<void>> drawings;  // each while the next part is simulated
  for (const PartPlan* plan : plans) {
    if (control.on_part) control.on_part(plan->id, parts.size() + 1, plans.size());
    parts.push_back(run_part(*plan, setting, store, control.experiment));
    drawings.push_back(std::async(std::launch::async, write_part, parts.back().part, options.out));
  }
  for (std::future<void>& drawing : drawings) drawing.get();
  write_whole(options.out / "results.json", print_json(results_json(setting, options, parts)));
  write_whole(options.out / "report.html", page(setting, options, parts));
  return parts;
}

ordered_json results_json(const Setting& setting, const ReproduceOptions& options,
                          const std::vector<FinishedPart>& parts) {
  ordered_json figures;
  ordered_json claims = ordered_json::array();
  for (const auto& [part, seconds] : parts) {
    figures[part.id] = {{"title", part.title},
                        {"beyond_the_paper", part.beyond},
                        {"rows", table_to_json(part.data)}};
    for (const Claim& claim : part.claims) {
      claims.push_back({{"id", claim.id},
                        {"paper", claim.paper},
                        {"rule", claim.rule},
                        {"measured", claim.measured},
                        {"holds", holds_to_json(claim.verdict)},
                        {"reason", claim.verdict.reason},
                        {"beyond_the_paper", part.beyond}});
    }
  }
  return {{"format", "dcmrank.reproduction"}, {"version", 1},
          {"quick", setting.quick},           {"seed", options.seed},
          {"log", setting.queries.source},    {"log_is_generated", setting.queries.generated},
          {"figures", std::move(figures)},    {"claims", std::move(claims)}};
}

}  // namespace dcmrank

// Ours: the paper's algorithm, the recommended policy and the one that was recommended before, with
// users of six click models.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/reproduce/curves.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kOtherUsersSteps = 100'000;
constexpr std::uint64_t kOtherUsersRuns = 10;
constexpr std::size_t kOtherUsersItems = 16;
constexpr std::size_t kOtherUsersPositions = 5;

const std::array<std::string, 3> kOtherUsersPolicies{
    "dcm-kl-ucb", "recommended", "dcm-ts:counting=revised-em,placement=cheapest"};

struct OtherWorld {
  std::string name;
  Problem problem;
};

// Attractions fall evenly from .5; what users do besides is of the size that logs show.
std::vector<OtherWorld> other_worlds() {
  using nlohmann::ordered_json;
  std::vector<double> attraction;
  for (std::size_t e = 0; e < kOtherUsersItems; ++e) {
    attraction.push_back(.5 * (1 - static_cast<double>(e) / 20));
  }
  std::vector<OtherWorld> worlds;
  const auto add = [&](const std::string& name, const std::string& model, ordered_json parameters) {
    ordered_json json{{"model", model}, {"attraction", attraction}};
    json.update(parameters);
    worlds.push_back({name, parse_problem(json.dump(), name)});
  };
  std::vector<double> by_position;
  std::vector<std::vector<double>> triangle;
  for (std::size_t k = 1; k <= kOtherUsersPositions; ++k) {
    const auto at = static_cast<double>(k);
    by_position.push_back(std::pow(at, -.8));
    auto& row = triangle.emplace_back();
    for (std::size_t d = 1; d < k; ++d) {
      row.push_back((.6 + .4 * std::pow(at, -.6)) * std::pow(static_cast<double>(d), -.5));
    }
    row.push_back(std::pow(at, -.6));
  }
  add("DCM", "dcm", {{"termination", {.7, .55, .45, .35, .25}}});
  add("cascade", "cascade", {{"positions", kOtherUsersPositions}});
  add("DBN", "dbn",
      {{"satisfaction", std::vector<double>(kOtherUsersItems, .6)},
       {"continuation", .95},
       {"positions", kOtherUsersPositions}});
  add("CCM", "ccm", {{"alpha", {.95, .7, .3}}, {"positions", kOtherUsersPositions}});
  add("PBM", "pbm", {{"examination", by_position}});
  add("UBM", "ubm", {{"examination", triangle}});
  return worlds;
}

std::vector<Trial> other_users_trials(const Setting& setting) {
  std::vector<Trial> all;
  for (const OtherWorld& world : other_worlds()) {
    for (const std::string& policy : kOtherUsersPolicies) {
      all.push_back(
          {world.problem, policy, setting.steps(kOtherUsersSteps), setting.runs(kOtherUsersRuns)});
    }
  }
  return all;
}

// The share of the regret that came in the second half of the steps: 1/2 where it is linear.
double late_share(const PolicyResult& result) {
  const std::uint64_t half = result.curve_steps.back() / 2;
  std::size_t at = 0;
  while (result.curve_steps[at] < half) ++at;
  return 1 - result.curve[at].mean / result.regret.mean;
}

struct OtherUsersTables {
  TextTable table{{"users", "dcmKL-UCB", "late", "recommended", "late", "former", "late",
                   "recommended / dcmKL-UCB"}};
  DataTable data{{"users", "policy", "regret", "std_error", "late_share"}, {}};
  std::vector<Verdict> below_former;  // where users are no DCM users
  std::vector<Verdict> not_linear;
};

void add_world(const OtherWorld& world, std::span<const PolicyResult> results,
               OtherUsersTables& out) {
  std::vector<std::string> row{world.name};
  for (const PolicyResult& result : results) {
    row.push_back(text(result.regret));
    row.push_back(fmt::format("{:.0f} %", 100 * late_share(result)));
    out.data.rows.push_back(
        {world.name, result.policy, result.regret.mean, result.regret.stderr_, late_share(result)});
  }
  row.push_back(text(ratio(results[1], results[0])));
  out.table.push_back(std::move(row));
  const bool follows_dcm = world.problem.dcm() != nullptr || world.problem.model() == "cascade";
  if (!follows_dcm) out.below_former.push_back(below(difference(results[1], results[2]), 0));
  out.not_linear.push_back(counted(late_share(results[1]) < .45));
}

Part present_other_users(const Setting& setting, std::span<const PolicyResult> results) {
  const auto worlds = other_worlds();
  const std::size_t each = kOtherUsersPolicies.size();
  OtherUsersTables out;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    add_world(worlds[i], results.subspan(i * each, each), out);
  }
  Part part;
  part.id = kOtherUsers.id;
  part.title = "When users are not DCM users";
  part.beyond = true;
  part.caption = fmt::format(
      "L = {}, K = {}, n = {} steps, {} runs; users of the DCM, the cascade model, the DBN, the "
      "CCM, the PBM and the UBM. Regret in satisfaction for DCM and DBN, in "
      "clicks elsewhere. \"Late\" is the share of the regret that came in the second half: 50 % is "
      "linear (with CCM users part of that is what no list sorted by attraction avoids). "
      "\"Former\" "
      "is the policy that was recommended before: it was chosen on DCM users alone.",
      kOtherUsersItems, kOtherUsersPositions, setting.steps(kOtherUsersSteps),
      setting.runs(kOtherUsersRuns));
  part.figure = {"Regret with users of six models",
                 "users",
                 "regret after n steps",
                 Axes::kLinear,
                 {},
                 "",
                 Legend::kBelow};
  part.figure.series = {
      regret_points("dcmKL-UCB, as published", results, kOtherUsersPolicies.size(), 0),
      regret_points("recommended", results, kOtherUsersPolicies.size(), 1),
      regret_points("formerly recommended", results, kOtherUsersPolicies.size(), 2)};
  for (const OtherWorld& world : worlds) part.figure.categories.push_back(world.name);
  stand_side_by_side(part.figure.series);
  part.table = std::move(out.table);
  part.data = std::move(out.data);
  part.claims = {
      {"other-users-linear", "Ours: with none of these users is the recommended policy linear.",
       "the second half of the steps has less than 45 % of its regret",
       fmt::format("{} of {} kinds of users",
                   std::count_if(out.not_linear.begin(), out.not_linear.end(),
                                 std::mem_fn(&Verdict::holds)),
                   worlds.size()),
       Length::kPaper, all_of(out.not_linear)},
      {"other-users-former", "Ours: with users who follow no DCM it is below the former policy.",
       "by more than twice the standard error of the difference",
       fmt::format("{} of {} kinds of users",
                   std::count_if(out.below_former.begin(), out.below_former.end(),
                                 std::mem_fn(&Verdict::holds)),
                   out.below_former.size()),
       Length::kPaper, all_of(out.below_former)}};
  return part;
}

}  // namespace

const PartPlan kOtherUsers{"other-users", true, false, other_users_trials, present_other_users};

}  // namespace dcmrank

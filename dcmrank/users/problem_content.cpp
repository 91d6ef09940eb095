// What a problem holds, and what is checked of users that others made. How problems are read:
// problem.cpp.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/users/dcm_users.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

// Each of 0 to limit - 1 at most once.
template <class T>
bool are_different(const std::vector<T>& numbers, std::size_t limit) {
  std::vector<bool> seen(limit);
  for (const T number : numbers) {
    if (number >= limit || seen[number]) return false;
    seen[number] = true;
  }
  return true;
}

// What is wrong with facts that others filled in; empty if nothing is.
std::string fault(const ListFacts& facts, std::size_t items, std::size_t positions) {
  if (!facts.order.empty() &&
      (facts.order.size() != positions || !are_different(facts.order, positions))) {
    return fmt::format("facts.order is not an order of the positions 0 to {}", positions - 1);
  }
  if (!facts.examination.empty() &&
      (facts.examination.size() != positions ||
       !std::all_of(facts.examination.begin(), facts.examination.end(),
                    [](double p) { return p >= 0 && p <= 1; }))) {
    return fmt::format("facts.examination is not {} probabilities, one per position", positions);
  }
  if (!facts.best.empty() &&
      (facts.best.size() != positions || !are_different(facts.best, items))) {
    return fmt::format("facts.best is not {} different items of 0 to {}", positions, items - 1);
  }
  const double floor = facts.floor.value_or(0);
  return floor >= 0 && std::isfinite(floor) ? "" : "facts.floor is not 0 or more";
}

// Others may have filled it in wrongly.
OtherUsers checked(OtherUsers users) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("users of the model {}: {}", quote(users.model), why));
  };
  if (users.items < 2 || users.items > kMaxItems) {
    refuse(fmt::format("{} items, not 2 to {}", users.items, kMaxItems));
  }
  if (users.positions == 0 || users.positions > users.items) {
    refuse(fmt::format("{} for {}", how_many(users.positions, "position"),
                       how_many(users.items, "item")));
  }
  if (!users.users) refuse("there is no function that makes them");
  const ordered_json json = ordered_json::parse(users.json, nullptr, false);
  if (!json.is_object()) refuse("their problem is not a JSON object");
  if (const std::string why = fault(users.facts, users.items, users.positions); !why.empty()) {
    refuse(why);
  }
  if (users.reward.empty()) {
    const auto named = json.find("reward");
    users.reward = named != json.end() && named->is_string() ? named->get<std::string>() : "usual";
  }
  return users;
}

}  // namespace

struct Problem::Content {
  Dcm dcm;
  OtherUsers other;
  bool is_dcm = false;
  std::string note = {};
  std::optional<ProblemNames> names = {};
};

namespace {

// Sorting gives the best list of a DCM.
ListFacts facts_of(const Dcm& dcm) {
  ListFacts facts;
  facts.floor = 0;
  facts.order = decreasing_order(dcm.termination);
  const auto items = decreasing_order(dcm.attraction);
  facts.best.resize(dcm.positions());
  for (std::size_t n = 0; n < dcm.positions(); ++n) {
    facts.best[facts.order[n]] = static_cast<Item>(items[n]);
  }
  double examined = 1;
  for (std::size_t k = 0; k < dcm.positions(); ++k) {
    facts.examination.push_back(examined);
    examined *= 1 - dcm.attraction[facts.best[k]] * dcm.termination[k];
  }
  return facts;
}

}  // namespace

Problem::Problem(Dcm dcm) {
  ListFacts facts = facts_of(dcm);
  content_ = std::make_shared<Content>(
      Content{std::move(dcm), {"dcm", 0, 0, "", {}, std::move(facts), "satisfaction"}, true});
}

Problem::Problem(OtherUsers users)
    : content_(std::make_shared<Content>(Content{{}, checked(std::move(users)), false})) {}

Problem Problem::with_note(std::string note) const {
  Problem noted = *this;
  auto content = std::make_shared<Content>(*content_);
  content->note = std::move(note);
  noted.content_ = std::move(content);
  return noted;
}

Problem Problem::with_names(std::optional<ProblemNames> names) const {
  Problem named = *this;
  auto content = std::make_shared<Content>(*content_);
  content->names = std::move(names);
  named.content_ = std::move(content);
  return named;
}

const std::optional<ProblemNames>& Problem::names() const { return content_->names; }

const std::string& Problem::note() const { return content_->note; }

const std::string& Problem::model() const { return content_->other.model; }

std::size_t Problem::items() const {
  return content_->is_dcm ? content_->dcm.items() : content_->other.items;
}

std::size_t Problem::positions() const {
  return content_->is_dcm ? content_->dcm.positions() : content_->other.positions;
}

const ListFacts& Problem::facts() const { return content_->other.facts; }

const std::string& Problem::reward() const { return content_->other.reward; }

const Dcm* Problem::dcm() const { return content_->is_dcm ? &content_->dcm : nullptr; }

AnyUsers Problem::users(std::uint64_t seed, std::uint64_t run, const ScreenDepths& depths) const {
  if (content_->is_dcm) return DcmUsers(content_->dcm, seed, run, depths);
  if (!depths.empty()) {
    throw InputError(
        fmt::format("users of the model {} see whole lists: only DCM users, rewarded by their "
                    "satisfaction, can have short screens",
                    quote(model())));
  }
  return content_->other.users(seed, run);
}

ordered_json problem_to_json(const Problem& problem) {
  ordered_json json;
  if (const Dcm* dcm = problem.dcm()) {
    json = {{"attraction", dcm->attraction}, {"termination", dcm->termination}};
  } else {
    json = ordered_json::parse(problem.content_->other.json);
  }
  if (!problem.note().empty()) json["note"] = problem.note();
  return json;
}

}  // namespace dcmrank

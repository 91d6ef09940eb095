#include "native_policy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/saved_rng.h"
#include "dcmrank/sim/experiment.h"

namespace dcmrank::python {

using nlohmann::ordered_json;

namespace {

// More lists than this wait for their clicks only where the clicks never come.
constexpr std::size_t kMostWaiting = 10'000;

bool has_memory(const Ranking& ranking) {
  return ranking.initial || !ranking.proposed.empty() || !ranking.gains.empty();
}

// How many flags clicks must have: as many as the list has items, or positions were seen of it.
std::size_t flags_wanted(nb::handle seen, std::size_t items) {
  if (seen.is_none()) return items;
  const nb::object number = nb::steal(PyNumber_Index(seen.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    throw TypeError("seen must be an integer, the number of positions on the screen");
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || value < 1 || static_cast<std::size_t>(value) > items) {
    throw InputError(
        fmt::format("seen is {}, not between 1 and {}", nb::str(number).c_str(), items));
  }
  return static_cast<std::size_t>(value);
}

ordered_json ranking_to_json(const Ranking& ranking) {
  return {{"items", ranking.items},
          {"proposed", ranking.proposed},
          {"gains", ranking.gains},
          {"initial", ranking.initial}};
}

// What policies keep beside the items: a number below L for every position, and perhaps items that
// are not in the list; a gain for every position.
void check_memory(const Ranking& ranking, const Shape& shape) {
  const std::size_t k = shape.positions;
  const auto& proposed = ranking.proposed;
  const auto& list = ranking.items;
  bool fits = (proposed.empty() || (proposed.size() >= k && proposed.size() <= k + shape.items)) &&
              (ranking.gains.empty() || ranking.gains.size() == k);
  for (std::size_t n = k; n < proposed.size(); ++n) {
    fits = fits && std::find(list.begin(), list.end(), proposed[n]) == list.end();
  }
  if (!fits) throw InputError("a list in \"waiting\" has what no policy keeps with it");
}

Ranking ranking_from_json(const ordered_json& json, const Shape& shape, ListCheck& check) {
  const auto items_of = [&](const char* name) {
    const auto numbers = fields::whole_numbers(json, name, 0, shape.items - 1);
    return std::vector<Item>(numbers.begin(), numbers.end());
  };
  Ranking ranking{items_of("items"), items_of("proposed"),
                  fields::numbers(json, "gains", fields::kAny), fields::boolean(json, "initial")};
  if (!check.is_valid(ranking.items)) {
    throw InputError("a list in \"waiting\" " + check.fault(ranking.items));
  }
  check_memory(ranking, shape);
  return ranking;
}

Shape shape_of(const ordered_json& state) {
  return {fields::whole_number(state, "items", 1, kMaxItems),
          fields::whole_number(state, "positions", 1, kMaxItems),
          fields::whole_number(state, "horizon", 0, UINT64_MAX)};
}

std::optional<Problem> problem_in(const ordered_json& state) {
  if (!fields::has(state, "problem")) return std::nullopt;
  return parse_problem(fields::member(state, "problem").dump(), "\"problem\"");
}

// A policy whose options refer to its problem can only be made again with it.
AnyPolicy policy_in(const ordered_json& state, const PolicySpec& spec,
                    const std::optional<Problem>& problem, const Shape& shape) {
  if (!problem) return load_policy(state);
  if (problem->items() != shape.items || problem->positions() != shape.positions) {
    throw InputError("\"problem\" has another size than the policy");
  }
  AnyPolicy policy = make_policy(spec, case_of(*problem, shape.horizon));
  policy.load(fields::member(state, "state"));
  return policy;
}

}  // namespace

NativePolicy::NativePolicy(PolicySpec spec, const Shape& shape, std::uint64_t seed)
    : spec_(std::move(spec)),
      shape_(shape),
      policy_(make_policy(spec_, shape_)),
      rng_(stream_key(Stream::kPolicy, seed, 0)),
      check_(shape_.items, shape_.positions) {}

NativePolicy::NativePolicy(PolicySpec spec, Problem problem, std::uint64_t steps,
                           std::uint64_t seed)
    : spec_(std::move(spec)),
      problem_(std::move(problem)),
      shape_{problem_->items(), problem_->positions(), steps},
      policy_(make_policy(spec_, case_of(*problem_, steps))),
      rng_(stream_key(Stream::kPolicy, seed, 0)),
      check_(shape_.items, shape_.positions) {}

NativePolicy::NativePolicy(const ordered_json& state)
    : spec_(parse_policy_spec(fields::string(state, "policy"))),
      problem_(problem_in(state)),
      shape_(shape_of(state)),
      policy_(policy_in(state, spec_, problem_, shape_)),
      rng_(rng_from_json(state)),
      check_(shape_.items, shape_.positions),
      begun_(fields::boolean(state, "begun")) {
  const bool remembering = remembers();
  for (const ordered_json& waiting : fields::array(state, "waiting")) {
    Ranking ranking = ranking_from_json(waiting, shape_, check_);
    if (remembering && ranking.proposed.empty() && ranking.gains.empty()) {
      throw InputError("\"waiting\" lacks what the policy remembers of a list");
    }
    waiting_.push_back({std::move(ranking), nb::object()});
  }
}

ordered_json NativePolicy::save() const {
  check_free();
  ordered_json json = save_policy(spec_, shape_, policy_);
  json["generator"] = rng_to_json(rng_);
  json["begun"] = begun_;
  if (problem_) json["problem"] = problem_to_json(problem_->with_note(""));
  json["waiting"] = ordered_json::array();
  for (const Waiting& waiting : waiting_)
    json["waiting"].push_back(ranking_to_json(waiting.ranking));
  return json;
}

void NativePolicy::check_free() const {
  if (busy_) {
    throw std::runtime_error(
        fmt::format("policy {} is playing rounds in another thread", quote(spec_.text)));
  }
}

void NativePolicy::set_busy(bool busy) {
  if (busy) check_free();
  busy_ = busy;
}

Integers NativePolicy::rank() {
  check_free();
  begun_ = true;
  policy_.rank(rng_, shown_);
  Integers array = to_numpy(std::span<const Item>(shown_.items));
  if (has_memory(shown_)) {
    if (waiting_.size() == kMostWaiting) waiting_.pop_front();
    waiting_.push_back({shown_, array});
  }
  return array;
}

void NativePolicy::update(const ArrayLike& ranking, const ArrayLike& clicks, nb::handle seen) {
  check_free();
  Ranking& shown = shown_;
  read_items(ranking, Argument("ranking"), shape_.items, shown.items);
  if (!check_.is_valid(shown.items)) throw InputError("ranking " + check_.fault(shown.items));
  read_flags(clicks, Argument("clicks"), flags_);
  const std::size_t wanted = flags_wanted(seen, shown.items.size());
  if (flags_.size() != wanted) {
    throw InputError(fmt::format(
        "clicks has {} entries for {} of {}", flags_.size(), seen.is_none() ? "a list" : "a screen",
        seen.is_none() ? fmt::format("{} items", wanted) : fmt::format("{} positions", wanted)));
  }
  shown.proposed.clear();
  shown.gains.clear();
  shown.initial = false;
  if (!waiting_.empty() || remembers()) shown = take_waiting(ranking);
  begun_ = true;
  policy_.update(shown, flags_);
}

void NativePolicy::observe_initial(const ArrayLike& attracted) {
  check_free();
  if (!wants_initial_sample()) {
    throw InputError(fmt::format("policy {} takes no sample: it {}", quote(spec_.text),
                                 begun_ ? "has begun" : "begins without one"));
  }
  read_flags(attracted, Argument("attracted"), flags_);
  if (flags_.size() != shape_.items) {
    throw InputError(
        fmt::format("attracted has {} entries for {} items", flags_.size(), shape_.items));
  }
  policy_.observe_initial(flags_);
  begun_ = true;
}

// Whether its lists are of no use to it without what it remembers of them. A copy is asked.
bool NativePolicy::remembers() {
  if (!remembers_) {
    AnyPolicy copy = policy_;
    Rng rng = rng_;
    Ranking ranking;
    copy.rank(rng, ranking);
    remembers_ = !ranking.proposed.empty() || !ranking.gains.empty();
  }
  return *remembers_;
}

// The list that this array was made from; else the oldest of the same items. Others are taken as
// they are by policies that remember nothing.
Ranking NativePolicy::take_waiting(nb::handle array) {
  const auto same = [&](const Waiting& w) { return w.ranking.items == shown_.items; };
  auto found = std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Waiting& w) {
    return w.array.is_valid() && w.array.is(array) && same(w);
  });
  auto at = found != waiting_.rend() ? std::prev(found.base())
                                     : std::find_if(waiting_.begin(), waiting_.end(), same);
  if (at == waiting_.end()) {
    if (!remembers()) return shown_;
    throw InputError(
        fmt::format("ranking is not a list that policy {} made and has not learned from yet",
                    quote(spec_.text)));
  }
  Ranking ranking = std::move(at->ranking);
  waiting_.erase(at);
  return ranking;
}

}  // namespace dcmrank::python

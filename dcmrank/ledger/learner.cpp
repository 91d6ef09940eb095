#include "dcmrank/ledger/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/policy/dcm_rows.h"

namespace dcmrank::service {
namespace {

constexpr double kBeyondFixed = 0x1p31;  // see to_fixed

// `after` becomes the difference.
Row difference(const CheckedOpenPolicy& policy, std::span<double> after,
               std::span<const double> before) {
  Row row;
  for (std::size_t n = 0; n < after.size(); ++n) {
    const double added = after[n] -= before[n];
    if (added == 0) continue;  // most of a long row is 0
    if (!(std::abs(added) < kBeyondFixed)) {
      policy.refuse(fmt::format("a page adds {} to a row, not a number below 2^31", added));
    }
    row.append(n, to_fixed(added));
  }
  return row;
}

// The first of what an option says of positions, one by one from the top.
std::string first_of(std::span<const std::string_view> parts, std::size_t most) {
  return fmt::format("{}", fmt::join(parts.first(most), ","));
}

// An order of fewer positions: the others are left out of it.
std::string order_of_first(std::span<const std::string_view> parts, std::size_t most) {
  std::vector<std::string_view> kept;
  for (const std::string_view part : parts) {
    const auto position = parse_unsigned(part);
    if (!position || *position <= most) kept.push_back(part);
  }
  return first_of(kept, kept.size());
}

// A model's policy may be told something of each of its positions. Of a list that is shorter it
// knows the first ones; for a longer one it would lack some.
PolicySpec for_positions(PolicySpec spec, std::size_t positions) {
  for (const char* option : {"order", "terminations", "examination"}) {
    const auto at = spec.options.find(option);
    if (at == spec.options.end()) continue;
    const auto parts = split(at->second, ',');
    if (parts.size() < 2 || parts.size() == positions) continue;  // a word, or as many
    if (parts.size() < positions) {
      throw InputError(
          fmt::format("policy {}: its {} is of {} positions: lists have at most so "
                      "many, not {}",
                      quote(spec.text), option, parts.size(), positions));
    }
    at->second = std::string_view(option) == "order" ? order_of_first(parts, positions)
                                                     : first_of(parts, positions);
  }
  return spec;
}

}  // namespace

Learner::Learner(const PolicySpec& spec, std::size_t positions)
    : positions_(positions), policy_(for_positions(spec, positions), positions) {}

void Learner::take(const QueryState& state, std::span<const Candidate> candidates,
                   std::span<const double> shared, std::uint64_t fitted) {
  policy_.open(candidates.size());
  if (!shared.empty()) policy_.put_shared(shared);
  policy_.put_round(state.rounds + 1);
  taken_.clear();
  row_.resize(policy_.item_row());
  const std::size_t digest = policy_.digest_size();
  const auto entries = state.items.entries();
  constexpr std::size_t kAhead = 6;
  for (Item e = 0; e < candidates.size(); ++e) {
    const Candidate& candidate = candidates[e];
    if (e + 2 * kAhead < candidates.size()) state.items.fetch_slot(candidates[e + 2 * kAhead].hash);
    if (e + kAhead < candidates.size()) state.items.fetch_entry(candidates[e + kAhead].hash);
    const bool plain = candidate.prior.observed <= 0;
    if (const auto* entry = state.items.entry(candidate.id, candidate.hash)) {
      if (plain && digest > 0 && entry->digest_of == fitted && entry->digest.size() == digest) {
        policy_.put_digest(e, entry->digest);
        continue;
      }
      read_row(entry->blob, row_);
      policy_.put_item(e, row_);
      const auto number = static_cast<std::size_t>(entry - entries.data());
      if (plain && digest > 0) taken_.push_back({e, number, entry->changes});
    }
    if (!plain) policy_.add_prior(e, candidate.prior);
  }
  row_.resize(policy_.position_row());
  for (std::size_t k = 0; k < std::min(positions_, state.positions.size()); ++k) {
    read_row(state.positions[k], row_);
    policy_.put_position(k, row_);
  }
}

void Learner::keep_digests(QueryState& state, std::uint64_t fitted) {
  row_.resize(policy_.digest_size());
  for (const Taken& taken : taken_) {
    policy_.get_digest(taken.candidate, row_);
    state.items.keep(taken.entry, taken.changes, fitted, row_);
  }
  taken_.clear();
}

void Learner::rank(Rng& rng, Ranking& ranking) { policy_.rank(rng, ranking); }

void Learner::impose(Ranking& ranking) const {
  ranking.items.resize(positions_);
  std::iota(ranking.items.begin(), ranking.items.end(), Item{0});
  policy_.impose(ranking);
}

double Learner::score(Item candidate, std::size_t position) const {
  return policy_.score(candidate, position);
}

double Learner::estimate(Item candidate) { return policy_.estimate(candidate); }

Contribution Learner::learn(const QueryState& state, const Page& page, Clicks clicks) {
  const std::size_t size = page.items.size();
  policy_.open(size);
  policy_.put_round(state.rounds + 1);
  Ranking shown{{}, page.proposed, page.gains};
  const std::size_t width = policy_.item_row();
  const std::size_t depth = policy_.position_row();
  std::vector<double> items(size * width);
  std::vector<double> positions(size * depth);
  for (Item e = 0; e < size; ++e) {
    shown.items.push_back(e);
    const auto row = std::span(items).subspan(e * width, width);
    // What counts alone add does not depend on what was known.
    if (!policy_.family().only_counts) {
      read_row(state.items.find(page.items[e]), row);
      policy_.put_item(e, row);
      policy_.get_item(e, row);
    }
    const auto at = std::span(positions).subspan(e * depth, depth);
    if (e < state.positions.size()) read_row(state.positions[e], at);
    policy_.put_position(e, at);
    policy_.get_position(e, at);
  }
  // A list of another policy, which this one replaced, has not all that this one asks for.
  if (shown.proposed.size() != size) shown.proposed = shown.items;
  shown.gains.resize(size);
  policy_.update(shown, clicks);
  Contribution result{.items = {}, .positions = {}, .counted = true};
  std::vector<double> after(std::max(width, depth));
  const auto item = std::span(after).first(width);
  const auto position = std::span(after).first(depth);
  for (Item e = 0; e < size; ++e) {
    policy_.get_item(e, item);
    result.items.push_back(difference(policy_, item, std::span(items).subspan(e * width, width)));
    policy_.check_item(e, item);
    policy_.get_position(e, position);
    result.positions.push_back(
        difference(policy_, position, std::span(positions).subspan(e * depth, depth)));
    policy_.check_position(e, position);
  }
  return result;
}

std::vector<double> fit_shared(const PolicySpec& spec, std::size_t positions,
                               std::span<const Row> item_rows) {
  const CheckedOpenPolicy policy(spec, positions);
  if (policy.shared_row() == 0) return {};
  std::vector<std::vector<double>> rows;
  std::vector<std::span<const double>> views;
  rows.reserve(item_rows.size());
  for (const Row& row : item_rows) {
    auto& numbers = rows.emplace_back(row.size());
    read_row(row, numbers);
    views.emplace_back(numbers);
  }
  return policy.fit_shared(views);
}

Counts counts_in(const RowFamily& family, const Row& row) {
  std::vector<double> numbers(std::max<std::size_t>(row.size(), 4));
  read_row(row, numbers);
  return family.counts_in(numbers);
}

TerminationCounts termination_in(const Row& row) {
  std::array<double, 2> numbers{};
  read_row(row, numbers);
  return DcmRows::terminations_in(numbers);
}

RowFamily family_of(const PolicySpec& spec, std::size_t positions) {
  return CheckedOpenPolicy(spec, positions).family();
}

void apply(QueryState& state, const Page& page, const Contribution& contribution, int sign) {
  if (!contribution.counted) return;
  state.rounds += static_cast<std::uint64_t>(std::int64_t{sign});
  for (std::size_t k = 0; k < contribution.items.size(); ++k) {
    if (!page.items[k].empty()) state.items.add(page.items[k], contribution.items[k], sign);
  }
  if (state.positions.size() < contribution.positions.size()) {
    state.positions.resize(contribution.positions.size());
  }
  for (std::size_t k = 0; k < contribution.positions.size(); ++k) {
    state.positions[k].add(contribution.positions[k], sign);
  }
}

Learner& LearnerRoom::get(const PolicySpec& spec, std::size_t positions) {
  constexpr std::size_t kMost = 2560;  // positions of all of them
  const auto key = std::pair(spec.text, positions);
  const auto at = learners_.find(key);
  if (at != learners_.end()) return *at->second;
  auto learner = std::make_unique<Learner>(spec, positions);
  if (positions_ + positions > kMost) {
    learners_.clear();
    positions_ = 0;
  }
  positions_ += positions;
  return *learners_.emplace(key, std::move(learner)).first->second;
}

}  // namespace dcmrank::service

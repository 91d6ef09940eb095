#include "dcmrank/select/thompson_selection.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/numeric/elementary.h"
#include "dcmrank/select/tie_draws.h"

namespace dcmrank {
namespace {

// Keys below the round's, above those of items.
constexpr std::uint64_t kTiesKey = (std::uint64_t{1} << 32) + 3;
constexpr std::uint64_t kCertainKey = (std::uint64_t{1} << 32) + 4;
constexpr std::uint64_t kBelowKey = (std::uint64_t{1} << 32) + 5;  // and those after it
constexpr std::uint64_t kChoiceKey = 0x7e57ab1e;  // the draws by which thresholds are chosen

constexpr double kLeastThreshold = 1e-100;
constexpr double kMostThreshold = 1 - 0x1p-40;

}  // namespace

ThompsonSelection::ThompsonSelection(std::size_t items, std::size_t positions, bool optimistic)
    : positions_(positions),
      optimistic_(optimistic),
      tails_(items, optimistic),
      certain_(optimistic ? items : 1) {}

void ThompsonSelection::changed(Item e, const Counts& counts) {
  if (knows_certain_ && optimistic_) {
    const double now = TailItems::is_certain(counts) ? 1 : 0;
    if (certain_[e] != now) certain_.set(e, now);
  }
  if (is_built_) tails_.change(e, counts);
}

void ThompsonSelection::start_over() {
  is_built_ = false;
  knows_certain_ = false;
  now_.reset();
  settled_.reset();
}

void ThompsonSelection::settle(std::span<const Counts> counts) {
  prepare(counts);
  settled_ = now_;
}

void ThompsonSelection::select(std::uint64_t key, std::span<const Counts> counts,
                               std::span<Item> best) {
  prepare(counts);
  const std::size_t certain = take_certain(subkey(key, kCertainKey), best);
  const std::size_t wanted = best.size() - certain;
  selected_ = wanted;
  if (wanted == 0) return;
  draw_above(key, counts);
  const auto exceeds = [&](const Scored& s) { return s.score >= tails_.threshold(); };
  const auto found = std::count_if(scored_.begin(), scored_.end(), exceeds);
  if (static_cast<std::size_t>(found) < wanted) draw_below(key, counts);
  select_best(scored_, wanted, Better(TieBreak(subkey(key, kTiesKey))));
  for (std::size_t n = 0; n < wanted; ++n) best[certain + n] = scored_[n].item;
}

void ThompsonSelection::prepare(std::span<const Counts> counts) {
  if (optimistic_ && !knows_certain_) find_certain(counts);
  knows_certain_ = true;
  if (has_enough_certain()) return;  // a threshold would be of no use
  if (!is_built_) make_room(counts.size());
  if (now_ && !is_built_) {
    tails_.build(now_->at, counts);
    is_built_ = true;
  }
  if (!fits()) choose(counts);
}

// So that later rounds allocate nothing.
void ThompsonSelection::make_room(std::size_t items) {
  scored_.reserve(items);
  asking_.reserve(BetaBatch::kRoom);
  excesses_.reserve(16 * target(items) + 256);
}

void ThompsonSelection::find_certain(std::span<const Counts> counts) {
  certain_.set_all([&](std::size_t e) { return TailItems::is_certain(counts[e]) ? 1.0 : 0.0; });
}

bool ThompsonSelection::fits() const {
  if (!now_ || tails_.expected() > now_->many) return false;
  return tails_.expected() >= now_->few || tails_.always() >= positions_;
}

// Another threshold where one did, found without drawing every item where a few attempts suffice.
void ThompsonSelection::choose(std::span<const Counts> counts) {
  const auto wanted = static_cast<double>(target(counts.size()));
  constexpr int kSteps = 3;
  for (int n = 0; now_ && n < kSteps; ++n) {
    const Excess excess = sample_excess(counts);
    if (n > 0 && excess.items > .7 * wanted && excess.items < 1.5 * wanted) return keep();
    const bool by_means =
        n == 0 && optimistic_ && 2 * static_cast<double>(tails_.always()) > excess.items;
    const double at = by_means ? nth_mean(counts) : step(excess, wanted);
    if (at < kLeastThreshold || at > kMostThreshold) break;
    tails_.build(at, counts);
  }
  choose_by_drawing_all(counts);
}

// To where as many as wanted should exceed the threshold: their number as a power of the distance
// from 1.
double ThompsonSelection::step(const Excess& excess, double wanted) const {
  const double more = excess.log_ratio * same_log(wanted / std::max(excess.items, .1));
  return 1 - (1 - tails_.threshold()) * same_exp(std::min(more, 9.0));
}

// Where means decide, which no optimistic score is below.
double ThompsonSelection::nth_mean(std::span<const Counts> counts) {
  scored_.clear();
  for (Item e = 0; e < counts.size(); ++e) {
    if (certain_[e] == 0) scored_.push_back({counts[e].observed > 0 ? mean(counts[e]) : 0, e});
  }
  return nth_score();
}

// The target-th largest in scored_.
double ThompsonSelection::nth_score() {
  const std::size_t rank = std::min(target(tails_.size()), scored_.size() - 1);
  const auto nth = scored_.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(scored_.begin(), nth, scored_.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return nth->score;
}

// How many exceed the threshold t in a round, and the mean of log((1 - t) / (1 - x)) of their draws
// x by its median, which leaders far above do not disturb.
ThompsonSelection::Excess ThompsonSelection::sample_excess(std::span<const Counts> counts) {
  constexpr std::uint64_t kRounds = 8;
  excesses_.clear();
  for (std::uint64_t n = 0; n < kRounds; ++n) {
    draw_above(subkey(kChoiceKey, n), counts);
    for (const Scored& s : scored_) {
      if (s.score >= tails_.threshold()) excesses_.push_back(s.score);
    }
  }
  if (excesses_.empty()) return {0, 1};
  const auto middle = excesses_.begin() + static_cast<std::ptrdiff_t>(excesses_.size() / 2);
  std::nth_element(excesses_.begin(), middle, excesses_.end());
  const double ratio = (1 - tails_.threshold()) / std::max(1 - *middle, 0x1p-53);
  constexpr double kLog2 = 0.69314718055994530942;
  return {static_cast<double>(excesses_.size()) / kRounds, same_log(ratio) / kLog2};
}

// The target-th largest of draws made for this purpose.
void ThompsonSelection::choose_by_drawing_all(std::span<const Counts> counts) {
  scored_.clear();
  for (Item e = 0; e < counts.size(); ++e) {
    if (!optimistic_ || certain_[e] == 0) asking_.push_back(e);
    if (asking_.size() == BetaBatch::kRoom || e + 1 == counts.size()) {
      score_asking(kChoiceKey, counts);
    }
  }
  tails_.build(std::clamp(nth_score(), kLeastThreshold, kMostThreshold), counts);
  keep();
}

void ThompsonSelection::keep() {
  is_built_ = true;
  now_ = {tails_.threshold(), .6 * tails_.expected(), 2 * tails_.expected()};
}

// How many shall exceed the threshold: of .6 times as many, which is when another is chosen, a
// Poisson variable is below K so seldom that drawing all in these rounds does not matter.
std::size_t ThompsonSelection::target(std::size_t items) const {
  const auto k = static_cast<double>(positions_);
  const double z2 = std::max(2.0, 1.25 * static_cast<double>(std::bit_width(items)) - 8);
  return static_cast<std::size_t>(1.6 * (k + std::sqrt(k * z2) + z2 / 2));
}

double ThompsonSelection::score(double draw, const Counts& counts) const {
  return optimistic_ && counts.observed > 0 ? std::max(draw, mean(counts)) : draw;
}

// Certain items into the front of `best`, in random order; how many.
std::size_t ThompsonSelection::take_certain(std::uint64_t key, std::span<Item> best) {
  TieDraws draws(key);
  gone_.clear();  // the ranks of those taken, in order
  const auto certain = static_cast<std::size_t>(certain_.sum());
  const std::size_t count = std::min(certain, best.size());
  for (std::size_t n = 0; n < count; ++n) {
    double mass = static_cast<double>(draw_rank(draws, certain - n, gone_)) + .5;
    std::size_t at = 0;
    certain_.find({&mass, 1}, {&at, 1});
    best[n] = static_cast<Item>(at);
  }
  return count;
}

// All that exceed the threshold, and the other frequent items.
void ThompsonSelection::draw_above(std::uint64_t key, std::span<const Counts> counts) {
  scored_.clear();
  std::span<const Item> left = tails_.frequent();
  while (!left.empty()) {
    const auto now = left.first(std::min(left.size(), BetaBatch::kRoom));
    asking_.assign(now.begin(), now.end());
    score_asking(key, counts);
    left = left.subspan(now.size());
  }
  tails_.draw_rare(key, counts, [&](Item e, double draw) { scored_.push_back({draw, e}); });
}

// The others, which do not exceed it.
void ThompsonSelection::draw_below(std::uint64_t key, std::span<const Counts> counts) {
  const auto by_item = [](const Scored& a, const Scored& b) { return a.item < b.item; };
  const std::size_t frequent = tails_.frequent().size();
  const std::size_t drawn = scored_.size();
  std::sort(scored_.begin() + static_cast<std::ptrdiff_t>(frequent), scored_.end(), by_item);
  std::size_t next = frequent;  // of the rare items that exceed it
  for (Item e = 0; e < counts.size(); ++e) {
    if (next < drawn && scored_[next].item == e) {
      ++next;
    } else if (!tails_.is_frequent(e) && (!optimistic_ || certain_[e] == 0)) {
      asking_.push_back(e);
    }
    if (asking_.size() == BetaBatch::kRoom || e + 1 == counts.size()) {
      draw_asking_below(key, counts);
    }
  }
}

// Draws until the draw does not exceed the threshold, as a rare item's seldom does.
void ThompsonSelection::draw_asking_below(std::uint64_t key, std::span<const Counts> counts) {
  constexpr std::uint64_t kTimes = 100;
  for (std::uint64_t n = 0; !asking_.empty(); ++n) {
    draw_asking(subkey(key, kBelowKey + n), counts);
    std::size_t above = 0;
    for (std::size_t i = 0; i < batch_.size; ++i) {
      const Item e = asking_[i];
      if (batch_.draw[i] > tails_.threshold() && n < kTimes) {
        asking_[above++] = e;
      } else {
        scored_.push_back({score(std::min(batch_.draw[i], tails_.threshold()), counts[e]), e});
      }
    }
    asking_.resize(above);
  }
}

// The draws of the items in asking_, in batch_.
void ThompsonSelection::draw_asking(std::uint64_t key, std::span<const Counts> counts) {
  batch_.size = asking_.size();
  for (std::size_t i = 0; i < asking_.size(); ++i) {
    const BetaShape shape = posterior_shape(counts[asking_[i]]);
    batch_.a[i] = shape.a;
    batch_.b[i] = shape.b;
    batch_.key[i] = subkey(key, asking_[i]);
  }
  sample_betas(batch_);
}

// Draws the items in asking_, adds them to scored_, and empties it.
void ThompsonSelection::score_asking(std::uint64_t key, std::span<const Counts> counts) {
  draw_asking(key, counts);
  for (std::size_t i = 0; i < asking_.size(); ++i) {
    scored_.push_back({score(batch_.draw[i], counts[asking_[i]]), asking_[i]});
  }
  asking_.clear();
}

std::optional<std::array<double, 3>> ThompsonSelection::settled() const {
  if (!settled_) return std::nullopt;
  return std::array{settled_->at, settled_->few, settled_->many};
}

void ThompsonSelection::restore(const std::array<double, 3>& settled) {
  if (!(settled[0] >= kLeastThreshold && settled[0] <= kMostThreshold)) {
    throw InputError(fmt::format("\"threshold\"[0] is {}, not between 0 and 1", settled[0]));
  }
  now_ = {settled[0], settled[1], settled[2]};
  settled_ = now_;
}

}  // namespace dcmrank

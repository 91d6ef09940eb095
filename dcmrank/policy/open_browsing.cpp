#include "dcmrank/policy/open_browsing.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "dcmrank/browsing/fit.h"

namespace dcmrank {
namespace {

// Rows grow with the square of the positions that are told apart; those below count as the last. A
// short list reads what longer ones of the same query taught, down to some depth.
constexpr std::size_t kToldApart = 32;
constexpr std::size_t kReadAnyway = 10;

constexpr double kEndless = std::numeric_limits<double>::infinity();

// Looks, each as much as one at the first position.
double looks_in(const SeenTable& table, std::span<const double> examination) {
  double looks = 0;
  for (const Item e : table.seen()) {
    for (const SeenCell& cell : table.row(e)) looks += cell.shown * examination[cell.context];
  }
  return looks;
}

SharedExamination fit_rows(std::span<const std::span<const double>> rows, std::size_t positions,
                           double most) {
  SeenTable table(positions);
  table.clear(rows.size());
  for (std::size_t e = 0; e < rows.size(); ++e) table.put(static_cast<Item>(e), rows[e]);
  BrowsingFit found;
  fit(table, most, found);
  // Where nobody has clicked yet, the rate of clicks is 0, and as a prior that would be certainty:
  // that nobody ever will. It is the posterior mean under a uniform prior then.
  if (!(found.average > 0)) found.average = 1 / (looks_in(table, found.examination) + 2);
  return SharedExamination(found);
}

}  // namespace

OpenBrowsing::OpenBrowsing(PositionOrder order)
    : order_(std::move(order)),
      table_(std::clamp(order_.size(), kReadAnyway, kToldApart)),
      nothing_shared_(fit_rows({}, table_.positions(), most_examined(order_))),
      shared_(nothing_shared_),
      at_position_(table_.positions()),
      scales_(table_.positions() - 1) {}

Counts OpenBrowsing::counts_in(std::span<const double> row) {
  Counts sum;
  for (std::size_t n = 0; n < row.size(); ++n) {
    (n % 2 == 0 ? sum.observed : sum.attracted) += std::max(0.0, row[n]);
  }
  return {std::max(sum.observed, sum.attracted), sum.attracted};
}

// A page shows an item in one context.
std::string_view OpenBrowsing::item_fault(std::span<const double> row, double pages) {
  if (row.size() > 2 * contexts_above(kToldApart)) return "it has more numbers than contexts";
  double looks = 0;
  for (std::size_t n = 0; n < row.size(); n += 2) {
    const double clicks = n + 1 < row.size() ? row[n + 1] : 0;
    if (const auto fault = count_fault(row[n], clicks, pages); !fault.empty()) return fault;
    looks += row[n];
  }
  return looks > pages ? "looks are above rounds" : "";
}

void OpenBrowsing::open(std::size_t items) {
  table_.clear(items);
  shared_ = nothing_shared_;
  scores_.assign(items, 1);
  believed_.assign(items, 0);
  attraction_.resize(items);
  known_.resize(items);
  share_.resize(items * scales_.size());
}

void OpenBrowsing::put_item(Item e, std::span<const double> row) {
  table_.put(e, row);
  believed_[e] = 0;
}

void OpenBrowsing::add_prior(Item e, const Counts& prior) {
  table_.add(e, 0, prior.observed, prior.attracted);
  believed_[e] = 0;
}

void OpenBrowsing::put_shared(std::span<const double> row) {
  shared_.take(row);
  std::fill(believed_.begin(), believed_.end(), 0);
}

std::vector<double> OpenBrowsing::fit_shared(
    std::span<const std::span<const double>> item_rows) const {
  return fit_rows(item_rows, table_.positions(), most_examined(order_)).to_row();
}

void OpenBrowsing::believe() {
  for (Item e = 0; e < table_.items(); ++e) {
    if (believed_[e] == 0) believe(e);
  }
}

// As at the end of a fit, for an item at hand.
void OpenBrowsing::believe(Item e) {
  believed_[e] = 1;
  const std::size_t n = scales_.size();
  attraction_[e] = shared_.average;
  known_[e] = {};
  const auto row = table_.row(e);
  if (row.empty()) return;
  const std::span<const double> g = shared_.examination;
  attraction_[e] = attraction_of(row, g, shared_.average);
  const auto [known, all] = look_at(row, g, attraction_[e], kEndless, at_position_);
  known_[e] = known;
  for (std::size_t k = 0; k < n; ++k) share_[e * n + k] = share(at_position_[k + 1], all);
}

void OpenBrowsing::put_digest(Item e, std::span<const double> digest) {
  believed_[e] = 1;
  attraction_[e] = digest[0];
  known_[e] = {digest[1], digest[2], digest[3]};
  std::copy(digest.begin() + 4, digest.end(),
            share_.begin() + static_cast<std::ptrdiff_t>(e * scales_.size()));
}

void OpenBrowsing::get_digest(Item e, std::span<double> digest) {
  if (believed_[e] == 0) believe(e);
  digest[0] = attraction_[e];
  digest[1] = known_[e].observed;
  digest[2] = known_[e].attracted;
  digest[3] = known_[e].examination;
  const auto shares = std::span(share_).subspan(e * scales_.size(), scales_.size());
  std::copy(shares.begin(), shares.end(), digest.begin() + 4);
}

void OpenBrowsing::rank(Rng& rng, Ranking& ranking) {
  believe();
  const std::uint64_t key = rng();
  draw_normals(scale_key(key), scales_);
  shared_.spread_out(scales_);
  scored_.resize(known_.size());
  draws_(known_, item_key(key), scored_);
  const std::size_t n = scales_.size();
  for (auto& [score, e] : scored_) {
    const auto shares = std::span(share_).subspan(e * n, n);
    score = known_[e].observed > 0 ? doubted(score, scales_, shares) : kEndless;
    scores_[e] = std::min(1.0, score);
  }
  place(scored_, order_, TieBreak::in_order(), ranking.items);
  ranking.initial = false;
}

void OpenBrowsing::update(const Ranking& shown, Clicks clicks) {
  for_contexts(clicks, table_.positions(), [&](std::size_t k, std::size_t context) {
    table_.add(shown.items[k], context, 1, clicks[k] != 0 ? 1 : 0);
    believed_[shown.items[k]] = 0;
  });
}

void OpenBrowsing::get_item(Item e, std::span<double> row) const {
  std::fill(row.begin(), row.end(), 0.0);
  for (const SeenCell& cell : table_.row(e)) {
    row[std::size_t{2} * cell.context] = cell.shown;
    row[std::size_t{2} * cell.context + 1] = cell.clicked;
  }
}

double OpenBrowsing::estimate(Item e) {
  if (believed_[e] == 0) believe(e);
  return attraction_[e];
}

static_assert(OpenPolicy<OpenBrowsing> && Estimates<OpenBrowsing> && Shares<OpenBrowsing> &&
              Digests<OpenBrowsing>);

}  // namespace dcmrank

#include "dcmrank/prediction/scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dcmrank/click_model/predicted.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

constexpr double kLeast = 1e-6;

double log_probability(double click, bool clicked) {
  return std::log(std::clamp(clicked ? click : 1 - click, kLeast, 1 - kLeast));
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Several scorers on the same impressions.
class Scorers : public ImpressionSink {
 public:
  explicit Scorers(std::span<const ModelParameters> models) {
    for (const ModelParameters& model : models) all.emplace_back(model);
  }
  void add(const Impression& impression) override {
    for (Scorer& scorer : all) scorer.add(impression);
  }

  std::vector<Scorer> all;
};

}  // namespace

Scorer::Sums& Scorer::group_of(const Impression& impression) {
  constexpr std::size_t kGroups = 64;
  if (groups_.empty()) groups_.resize(kGroups);
  const std::uint64_t session = impression.session != 0 ? subkey(0, impression.session)
                                                        : static_cast<std::uint64_t>(all_.sessions);
  return groups_[session % kGroups];
}

void Scorer::Sums::add(const Sums& other, double sign) {
  sessions += sign * other.sessions;
  log_likelihood += sign * other.log_likelihood;
  positions.resize(std::max(positions.size(), other.positions.size()));
  for (std::size_t k = 0; k < other.positions.size(); ++k) {
    positions[k].shown += sign * other.positions[k].shown;
    positions[k].full += sign * other.positions[k].full;
    positions[k].conditional += sign * other.positions[k].conditional;
  }
}

void Scorer::add(const Impression& impression) {
  const std::size_t n = impression.items.size();
  const Clicks clicks = impression.clicks;
  parameters_->find(impression, page_);
  full_.resize(n);
  conditional_.resize(n);
  parameters_->naming(impression, [&] {
    predict_full(parameters_->click_model(), page_, full_);
    predict_conditional(parameters_->click_model(), page_, clicks, conditional_);
  });
  one_.positions.resize(n);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double conditional = log_probability(conditional_[k], clicks[k] != 0);
    one_.positions[k] = {1, log_probability(full_[k], clicks[k] != 0), conditional};
    sum += conditional;
  }
  one_.sessions = 1;
  one_.log_likelihood = sum / static_cast<double>(n);
  group_of(impression).add(one_);
  all_.add(one_);
  deeper_ += page_.deeper ? 1 : 0;
  unknown_ += page_.unknown ? 1 : 0;
}

void Scorer::merge(const Scorer& other) {
  all_.add(other.all_);
  deeper_ += other.deeper_;
  unknown_ += other.unknown_;
  groups_.resize(std::max(groups_.size(), other.groups_.size()));
  for (std::size_t g = 0; g < other.groups_.size(); ++g) groups_[g].add(other.groups_[g]);
}

Scores Scorer::Sums::scores() const {
  Scores scores;
  scores.sessions = sessions;
  scores.log_likelihood = sessions > 0 ? log_likelihood / sessions : 0;
  for (const Position& position : positions) {
    if (position.shown == 0) break;  // and none below
    // 2^(-mean log2 P) = exp(-mean ln P)
    scores.perplexity_at.push_back(std::exp(-position.full / position.shown));
    scores.conditional_perplexity_at.push_back(std::exp(-position.conditional / position.shown));
  }
  scores.perplexity = mean(scores.perplexity_at);
  scores.conditional_perplexity = mean(scores.conditional_perplexity_at);
  return scores;
}

// The jackknife over groups of any size: what a group contributes to a score is the change that it
// makes, times the share of the others.
Scores::Errors Scorer::errors(const Scores& of_all) const {
  double groups = 0;
  Scores::Errors squares;
  const auto add = [](double& sum, double contribution) { sum += contribution * contribution; };
  for (const Sums& group : groups_) {
    if (group.sessions == 0) continue;
    groups += 1;
    if (group.sessions == all_.sessions) break;
    Sums others = all_;
    others.add(group, -1);
    const double share = others.sessions / all_.sessions;
    const Scores without = others.scores();
    add(squares.log_likelihood, share * (of_all.log_likelihood - without.log_likelihood));
    add(squares.perplexity, share * (of_all.perplexity - without.perplexity));
    add(squares.conditional_perplexity,
        share * (of_all.conditional_perplexity - without.conditional_perplexity));
  }
  const double factor = groups > 1 ? groups / (groups - 1) : std::nan("");
  return {std::sqrt(factor * squares.log_likelihood), std::sqrt(factor * squares.perplexity),
          std::sqrt(factor * squares.conditional_perplexity)};
}

Scores Scorer::scores() const {
  Scores scores = all_.scores();
  scores.deeper = deeper_;
  scores.unknown = unknown_;
  scores.errors = errors(scores);
  return scores;
}

Summary Scorer::difference(const Scorer& other) const {
  const auto between = [](const Sums& a, const Sums& b) {
    return a.log_likelihood - b.log_likelihood;
  };
  Summary result{between(all_, other.all_) / all_.sessions, 0};
  double groups = 0;
  double squares = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double sessions = groups_[g].sessions;
    if (sessions == 0) continue;
    groups += 1;
    const double contribution =
        (between(groups_[g], other.groups_[g]) - sessions * result.mean) / all_.sessions;
    squares += contribution * contribution;
  }
  result.stderr_ = groups > 1 ? std::sqrt(groups / (groups - 1) * squares) : std::nan("");
  return result;
}

Evaluation evaluate(std::span<const ModelParameters> models, const Log& log,
                    const ReadOptions& options) {
  std::vector<std::shared_ptr<Scorers>> parts(log.parts());
  Evaluation evaluation;
  evaluation.report = read_log(
      log, options, [&](std::size_t p) { return parts[p] = std::make_shared<Scorers>(models); });
  Scorers sum(models);
  for (const auto& part : parts) {  // in the order of the log, so that rounding is the same
    for (std::size_t m = 0; m < models.size(); ++m) sum.all[m].merge(part->all[m]);
  }
  for (const Scorer& scorer : sum.all) {
    evaluation.scores.push_back(scorer.scores());
    evaluation.differences.push_back(scorer.difference(sum.all.front()));
  }
  return evaluation;
}

Evaluation evaluate(const std::vector<FittedModel>& models, const Log& log,
                    const ReadOptions& options) {
  const std::vector<ModelParameters> parameters(models.begin(), models.end());
  return evaluate(parameters, log, options);
}

}  // namespace dcmrank

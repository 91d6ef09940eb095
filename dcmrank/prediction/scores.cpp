#include "dcmrank/prediction/scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

void Scorer::add(const Impression& impression) {
  const std::size_t n = impression.items.size();
  const Clicks clicks = impression.clicks;
  parameters_->find(impression, page_);
  full_.resize(n);
  conditional_.resize(n);
  parameters_->click_model().full(page_, full_);
  parameters_->click_model().conditional(page_, clicks, conditional_);
  if (positions_.size() < n) positions_.resize(n);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double conditional = log_probability(conditional_[k], clicks[k] != 0);
    positions_[k].shown += 1;
    positions_[k].full += log_probability(full_[k], clicks[k] != 0);
    positions_[k].conditional += conditional;
    sum += conditional;
  }
  sessions_ += 1;
  deeper_ += page_.deeper ? 1 : 0;
  log_likelihood_ += sum / static_cast<double>(n);
}

void Scorer::merge(const Scorer& other) {
  sessions_ += other.sessions_;
  deeper_ += other.deeper_;
  log_likelihood_ += other.log_likelihood_;
  positions_.resize(std::max(positions_.size(), other.positions_.size()));
  for (std::size_t k = 0; k < other.positions_.size(); ++k) {
    positions_[k].shown += other.positions_[k].shown;
    positions_[k].full += other.positions_[k].full;
    positions_[k].conditional += other.positions_[k].conditional;
  }
}

Scores Scorer::scores() const {
  Scores scores;
  scores.sessions = sessions_;
  scores.deeper = deeper_;
  scores.log_likelihood = sessions_ > 0 ? log_likelihood_ / sessions_ : 0;
  for (const Position& position : positions_) {
    // 2^(-mean log2 P) = exp(-mean ln P)
    scores.perplexity_at.push_back(std::exp(-position.full / position.shown));
    scores.conditional_perplexity_at.push_back(std::exp(-position.conditional / position.shown));
  }
  scores.perplexity = mean(scores.perplexity_at);
  scores.conditional_perplexity = mean(scores.conditional_perplexity_at);
  return scores;
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
  for (const Scorer& scorer : sum.all) evaluation.scores.push_back(scorer.scores());
  return evaluation;
}

Evaluation evaluate(const std::vector<FittedModel>& models, const Log& log,
                    const ReadOptions& options) {
  const std::vector<ModelParameters> parameters(models.begin(), models.end());
  return evaluate(parameters, log, options);
}

}  // namespace dcmrank

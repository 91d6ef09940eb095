#include "dcmrank/em/query_information.h"

#include <algorithm>

namespace dcmrank {
namespace {

constexpr double kQuotientStep = 1e-4;  // of the difference quotients, times p or 1 - p

double score_of(const Counts& counts, double p) {
  return (counts.attracted - counts.observed * p) / (p * (1 - p));
}

double step_at(double p) { return kQuotientStep * std::min(p, 1 - p); }

// Computes the information of one query after the other.
class Informant {
 public:
  Informant(const Sample& sample, const EmModel& model, const EmPoint& point)
      : sample_(&sample),
        model_(&model),
        p_(point.own.begin(), point.own.end()),
        shared_(point.shared.begin(), point.shared.end()),
        free_(&point.free),
        counts_(p_.size()),
        shared_counts_(shared_.size()) {}

  QueryInformation of(std::size_t query, const Prior& prior) {
    QueryInformation result;
    const bool dense = static_cast<bool>(model_->of_tail);
    const std::size_t n = p_.size();
    result.own.assign(dense ? n * n : n, 0);
    add_counts(query, prior, dense ? n + 1 : 1, result.own);
    if (dense) add_tails(query, result.own);
    add_shared(query, result);
    if (dense) fix(result);
    return result;
  }

  QueryInformation of_pieces(std::size_t query, const Prior& prior) {
    const std::size_t free = free_->size();
    QueryInformation result{std::vector<double>(p_.size()), std::vector<double>(p_.size() * free),
                            std::vector<double>(free * free)};
    std::vector<std::size_t> place(shared_.size(), free);  // among the free ones
    for (std::size_t s = 0; s < free; ++s) place[(*free_)[s]] = s;
    for (std::size_t n = 0; n < p_.size(); ++n) {
      if (is_inside(p_[n])) result.own[n] = prior_information(prior, p_[n]);
    }
    model_->pieces(query, view(), [&](const InformationPiece& piece) {
      const bool own = is_inside(p_[piece.own]);
      const std::size_t s = place[piece.shared];
      if (own) result.own[piece.own] += piece.of_own;
      if (s < free) result.shared[s * free + s] += piece.of_shared;
      if (own && s < free) result.both[piece.own * free + s] += piece.of_both;
    });
    return result;
  }

 private:
  EmView view() { return {p_, shared_, counts_, shared_counts_}; }

  void clear() {
    std::fill(counts_.begin(), counts_.end(), Counts{});
    std::fill(shared_counts_.begin(), shared_counts_.end(), Counts{});
  }

  // Counts tell of each own parameter by itself: all are moved at once.
  void add_counts(std::size_t query, const Prior& prior, std::size_t stride,
                  std::vector<double>& own) {
    const std::vector<double> p = p_;
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t n = 0; n < p.size(); ++n) p_[n] = p[n] + sign * step_at(p[n]);
      clear();
      model_->of_counts(query, view());
      for (std::size_t n = 0; n < p.size(); ++n) {
        if (!is_inside(p[n])) continue;
        own[n * stride] -= sign * score_of(counts_[n], p_[n]) / (2 * step_at(p[n]));
      }
    }
    p_ = p;
    for (std::size_t n = 0; n < p.size(); ++n) {
      if (!is_inside(p[n])) continue;
      own[n * stride] += prior_information(prior, p[n]);
    }
  }

  void add_tails(std::size_t query, std::vector<double>& own) {
    clear();
    std::vector<std::uint32_t> touched;
    sample_->tails.of_query(query, [&](const Tail& tail) {
      touched.clear();
      model_->touched(tail, touched);
      for (const std::uint32_t a : touched) {
        if (is_inside(p_[a])) add_tail(tail, touched, a, own);
      }
    });
  }

  // The column of parameter a.
  void add_tail(const Tail& tail, const std::vector<std::uint32_t>& touched, std::uint32_t a,
                std::vector<double>& own) {
    const double p = p_[a];
    for (const double sign : {1.0, -1.0}) {
      p_[a] = p + sign * step_at(p);
      model_->of_tail(tail, view());
      for (const std::uint32_t b : touched) {
        if (is_inside(p_[b])) {
          own[b * p_.size() + a] -= sign * score_of(counts_[b], p_[b]) / (2 * step_at(p));
        }
        counts_[b] = {};
      }
    }
    p_[a] = p;
  }

  void add_shared(std::size_t query, QueryInformation& result) {
    const std::size_t free = free_->size();
    result.both.assign(p_.size() * free, 0);
    result.shared.assign(free * free, 0);
    for (std::size_t s = 0; s < free; ++s) {
      const double p = shared_[(*free_)[s]];
      for (const double sign : {1.0, -1.0}) {
        shared_[(*free_)[s]] = p + sign * step_at(p);
        clear();
        model_->of_counts(query, view());
        if (model_->of_tail) {
          sample_->tails.of_query(query, [&](const Tail& tail) { model_->of_tail(tail, view()); });
        }
        const double by = sign / (2 * step_at(p));
        for (std::size_t n = 0; n < p_.size(); ++n) {
          if (is_inside(p_[n])) result.both[n * free + s] -= by * score_of(counts_[n], p_[n]);
        }
        for (std::size_t t = 0; t < free; ++t) {
          const std::size_t at = (*free_)[t];
          result.shared[t * free + s] -= by * score_of(shared_counts_[at], shared_[at]);
        }
      }
      shared_[(*free_)[s]] = p;
    }
  }

  // What is not free, or of what the log says nothing, has no influence.
  void fix(QueryInformation& result) const {
    for (std::size_t n = 0; n < p_.size(); ++n) {
      double& diagonal = result.own[n * p_.size() + n];
      if (!is_inside(p_[n]) || diagonal == 0) diagonal = 1;
    }
  }

  const Sample* sample_;
  const EmModel* model_;
  std::vector<double> p_;
  std::vector<double> shared_;
  const std::span<const std::size_t>* free_;
  std::vector<Counts> counts_;
  std::vector<Counts> shared_counts_;
};

}  // namespace

double prior_information(const Prior& prior, double p) {
  return prior.successes / (p * p) + prior.failures / ((1 - p) * (1 - p));
}

QueryInformation query_information(const Sample& sample, const EmModel& model, std::size_t query,
                                   const EmPoint& point, const Prior& prior) {
  Informant informant(sample, model, point);
  return model.pieces ? informant.of_pieces(query, prior) : informant.of(query, prior);
}

}  // namespace dcmrank

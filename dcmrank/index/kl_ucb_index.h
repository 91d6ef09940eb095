#pragma once

#include <algorithm>
#include <cstdint>

#include "dcmrank/index/clocked_kl_ucb.h"
#include "dcmrank/index/index.h"
#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/index/paper_budgets.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {

/// How much is spent on exploration in round t.
enum class Budget {
  kPaper,  // log t + 3 log log t, Eq. (1)
  kLog,    // log t: what practice prefers (Garivier and Cappe, COLT 2011, Sec. 3)
};

/// KL-UCB, Eq. (1).
class KlUcbIndex {
 public:
  explicit KlUcbIndex(Budget budget = Budget::kPaper) : kind_(budget) {}

  void begin_round(std::uint64_t t, std::uint64_t /*key*/) {
    budget_ = kind_ == Budget::kPaper ? budgets_(t) : same_log(static_cast<double>(t));
  }
  double operator()(Item /*item*/, const Counts& counts) const { return kl_ucb(counts, budget_); }

  /// Whether the budget is the clock, whatever the counts.
  static constexpr bool kOneBudget = true;
  /// Of this round, the same for all items; never less than in an earlier round.
  double clock() const { return budget_; }
  double budget(const Counts& /*counts*/) const { return budget_; }

 private:
  Budget kind_;
  double budget_ = 0;
  PaperBudgets budgets_;
};

/// KL-UCB+ (Garivier and Cappe, COLT 2011; Kaufmann, Annals of Statistics 2018): the budget
/// log(t / T) of an item observed T times, 0 where that is negative.
class KlUcbPlusIndex {
 public:
  void begin_round(std::uint64_t t, std::uint64_t /*key*/) {
    t_ = static_cast<double>(t);
    log_t_ = same_log(t_);
  }
  double operator()(Item /*item*/, const Counts& counts) const {
    return kl_ucb(counts, budget(counts));
  }

  static constexpr bool kOneBudget = false;
  double clock() const { return log_t_; }
  double budget(const Counts& counts) const {
    return counts.observed > 0 ? same_log(std::max(1.0, t_ / counts.observed)) : log_t_;
  }

 private:
  double t_ = 1;
  double log_t_ = 0;
};

static_assert(ClockedKlUcb<KlUcbIndex> && ClockedKlUcb<KlUcbPlusIndex>);
static_assert(Index<KlUcbIndex> && Index<KlUcbPlusIndex>);

}  // namespace dcmrank

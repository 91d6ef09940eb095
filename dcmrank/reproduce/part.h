#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/base/csv.h"
#include "dcmrank/grid/trial.h"
#include "dcmrank/html/html.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/reproduce/query_dcms.h"
#include "dcmrank/reproduce/verdict.h"

namespace dcmrank {

/// How long a run must be to test a claim.
enum class Length {
  kAny,     // it is not about runs
  kUseful,  // a run shorter than the paper's can support it, but not contradict it
  kPaper,   // it states a number at the paper's size: a shorter run says nothing
};

/// A statement about an experiment, tested by measurement. If it does not hold, that is a result
/// too.
struct Claim {
  std::string id;
  std::string paper;     // what is claimed
  std::string rule;      // how it is tested
  std::string measured;  // what came out, with its error
  Length length = Length::kPaper;
  Verdict verdict;
};

/// One figure of the report, with its results.
struct Part {
  std::string id;  // "fig2b": the name of its files
  std::string title;
  std::string caption;  // what was done and what to see
  bool beyond = false;  // ours, not the paper's
  bool of_log = false;  // made from the setting's queries
  Figure figure;
  TextTable table;  // on the page
  DataTable data;   // the CSV
  std::vector<Claim> claims;
};

/// What a reproduction is made with. `full` is the paper's size.
struct Setting {
  bool quick = false;
  QueryDcms queries;  // for the figures that need a log

  std::uint64_t steps(std::uint64_t full) const { return quick ? full / 50 : full; }
  std::uint64_t runs(std::uint64_t full) const {
    return quick ? std::max<std::uint64_t>(2, full / 5) : full;
  }
};

/// A figure before it is run: two functions. `trials` says what to simulate, `present` what it
/// shows; results come in the order of the trials.
struct PartPlan {
  std::string id;
  bool beyond = false;
  bool of_log = false;  // made from the setting's queries
  std::vector<Trial> (*trials)(const Setting&);
  Part (*present)(const Setting&, std::span<const PolicyResult>);
};

/// All figures in the order of the report.
std::span<const PartPlan> part_plans();

// The figures, one file each.
extern const PartPlan kFig1a;
extern const PartPlan kFig1b;
extern const PartPlan kFig1c;
extern const PartPlan kFig2a;
extern const PartPlan kFig2b;
extern const PartPlan kFig2c;
extern const PartPlan kBias;
extern const PartPlan kRecommended;
extern const PartPlan kOtherUsers;

}  // namespace dcmrank

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dcmrank/fit/contexts.h"
#include "dcmrank/fit/counts_table.h"
#include "dcmrank/fit/tails.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {

/// What an estimator needs beyond the counts.
struct Needs {
  bool tails = false;      // the items below the last click: EM of the DCM
  bool positions = false;  // clicks of each item by position: the PBM
  std::size_t most_tails = 2'000'000;
  bool chains = false;    // tails in their order, and those of lists without a click: DBN, CCM
  bool contexts = false;  // positions by the last click above them, too: the UBM

  bool any_tails() const { return tails || chains; }
  bool any_contexts() const { return positions || contexts; }
  TailKind tail_kind() const { return chains ? TailKind::kChains : TailKind::kSets; }
  /// Whether who has this has what `other` asks for: chains tell the tails, contexts the positions.
  bool covers(const Needs& other) const;
};

/// What either asks for; what both have.
Needs either(const Needs& a, const Needs& b);
Needs common(const Needs& a, const Needs& b);

/// The sufficient statistics of a log, for any estimator. A monoid; one thread at a time.
class Statistics : public ImpressionSink {
 public:
  explicit Statistics(const Needs& needs = {});

  void add(const Impression& impression) override;
  bool takes_repeats() const override { return !tails && !contexts; }
  void add_repeated(const Impression& impression, std::uint32_t times) override;
  void add_several(std::span<const Impression> impressions) override;
  /// Adds another; what only one of the two holds is lost.
  void merge(const Statistics& other);
  /// The same; `other` is given back meanwhile.
  void take(Statistics&& other);

  /// What it holds beyond the counts.
  Needs holds() const;
  /// Gives up what is not needed; what is needed it must hold.
  void keep(const Needs& needs);

  CountsTable counts;
  std::optional<TailTable> tails;
  std::optional<ContextTable> contexts;

 private:
  std::vector<std::uint32_t> items_;  // of the impression last added
};

/// The statistics of a log, or of a part of one, and what was found in reading it.
struct LogStatistics {
  Statistics statistics;
  LogReport report;
};

/// Reads a whole log into statistics. Except for the numbering, they do not depend on the number of
/// threads. With more distinct tails than may be kept, the statistics have none: overflown().
LogStatistics collect(const Log& log, const ReadOptions& options, const Needs& needs);

}  // namespace dcmrank

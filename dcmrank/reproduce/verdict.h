#pragma once

#include <string>
#include <vector>

#include "dcmrank/numeric/summary.h"

namespace dcmrank {

enum class Outcome { kHolds, kDoesNotHold, kTooShort, kNotTested };

/// What measurements say about a claim, and why, in words.
struct Verdict {
  Outcome outcome = Outcome::kTooShort;
  std::string reason;

  bool holds() const { return outcome == Outcome::kHolds; }
};

/// "holds", "does not hold", "too short to tell", "not tested".
const char* words(Outcome outcome);

/// Whether a value lies beyond a limit, by more than twice the value's standard error; a value
/// nearer to the limit is too short to tell, and so is one without an error.
Verdict below(const Summary& value, double limit);
Verdict above(const Summary& value, double limit);
Verdict between(const Summary& value, double low, double high);

/// For a count, which has no error.
Verdict counted(bool holds);

/// All statements together: the first that does not hold decides, then the first that is undecided.
Verdict all_of(const std::vector<Verdict>& verdicts);

Verdict too_short(const std::string& why);
Verdict not_tested(const std::string& why);

}  // namespace dcmrank

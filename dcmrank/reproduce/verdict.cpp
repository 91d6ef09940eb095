#include "dcmrank/reproduce/verdict.h"

#include <algorithm>

namespace dcmrank {

const char* words(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHolds:
      return "holds";
    case Outcome::kDoesNotHold:
      return "does not hold";
    case Outcome::kTooShort:
      return "too short to tell";
    case Outcome::kNotTested:
      break;
  }
  return "not tested";
}

Verdict below(const Summary& value, double limit) {
  const double distance = limit - value.mean;
  if (distance > 2 * value.stderr_) {
    return {Outcome::kHolds, "by more than twice the standard error"};
  }
  if (-distance > 2 * value.stderr_) {
    return {Outcome::kDoesNotHold, "contradicted by more than twice the standard error"};
  }
  return too_short("within twice the standard error");
}

Verdict above(const Summary& value, double limit) {
  return below({-value.mean, value.stderr_}, -limit);
}

Verdict between(const Summary& value, double low, double high) {
  return all_of({above(value, low), below(value, high)});
}

Verdict counted(bool holds) {
  return holds ? Verdict{Outcome::kHolds, "by counting"}
               : Verdict{Outcome::kDoesNotHold, "by counting"};
}

Verdict all_of(const std::vector<Verdict>& verdicts) {
  for (const Outcome worst : {Outcome::kDoesNotHold, Outcome::kTooShort, Outcome::kNotTested}) {
    const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                    [&](const Verdict& v) { return v.outcome == worst; });
    if (found != verdicts.end()) return *found;
  }
  return verdicts.front();
}

Verdict too_short(const std::string& why) {
  return {Outcome::kTooShort, "too short to tell: " + why};
}

Verdict not_tested(const std::string& why) { return {Outcome::kNotTested, "not tested: " + why}; }

}  // namespace dcmrank

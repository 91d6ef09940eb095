#pragma once

#include <span>
#include <string>

#include "dcmrank/reproduce/part.h"

namespace dcmrank {

/// What figures of regret curves have in common: the curves and the table of the regrets at
/// the end with their ratio to the first.
Figure curve_figure(const std::string& title, std::span<const PolicyResult> results);
TextTable end_table(std::span<const PolicyResult> results);

/// The regret after `step` steps, which must be a step of the curve.
Summary regret_at(const PolicyResult& result, std::uint64_t step);

}  // namespace dcmrank

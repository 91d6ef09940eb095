#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/plot/figure.h"
#include "dcmrank/sim/experiment.h"

namespace dcmrank {

/// The results of compare() in the shapes that leave the program (docs/formats.md).
nlohmann::ordered_json results_to_json(const Dcm& dcm, const ExperimentOptions& options,
                                       std::span<const PolicyResult> results);
std::string results_to_csv(std::span<const PolicyResult> results);
Figure results_to_figure(const std::string& title, Axes axes,
                         std::span<const PolicyResult> results);

}  // namespace dcmrank

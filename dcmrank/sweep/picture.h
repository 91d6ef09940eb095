#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/base/csv.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/sweep/sweep.h"

namespace dcmrank {

/// A picture of a table by the names of its columns.
struct PicturePlan {
  std::string x;
  std::string y = "regret";
  std::string series{};  // a line for each of its values; empty: one line
  std::string facet{};   // a panel for each of its values; empty: one panel
  Axes axes = Axes::kLinear;
  std::vector<std::string> where{};            // the rows to draw (columns.h); empty: all
  std::map<std::string, std::string> names{};  // what policies are called in the picture
};

/// A figure for each panel, with the same lines in the same order. Where several rows share a
/// point, it is their mean, with the error that mean_of_cells() gives it; a row alone has its own.
/// The title says over what. Rows without one of the two numbers are left out. Throws InputError if
/// a column is unknown, or what is to be drawn is not a number. `cells` are those of the rows, or
/// empty where nothing is known of their runs.
Panels panels_of(const PicturePlan& plan, const DataTable& all,
                 std::span<const SweepCell> cells = {});

/// How many rows are not in the picture, and why, over which parameters its points are means and
/// what their error is, and which units are on one axis, in one line each.
std::vector<std::string> picture_notes(const PicturePlan& plan, const DataTable& all,
                                       std::span<const SweepCell> cells = {});

}  // namespace dcmrank

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dcmrank/base/csv.h"
#include "dcmrank/sweep/picture.h"

namespace dcmrank {

/// The rows that share a point: places in the table.
using PointsOfLine = std::map<double, std::vector<std::size_t>>;

/// By panel and line, then along the axis.
using PicturePoints = std::map<std::pair<std::string, std::string>, PointsOfLine>;

/// Whether the points of each line are means over the same cells, but for what says where a point
/// is.
struct Likeness {
  std::vector<double> elsewhere;  // places along the axis with other cells than most of their line
  std::size_t along = 0;          // all places along the axis
};
Likeness likeness_of(const PicturePlan& plan, const PicturePoints& points, const DataTable& all);

}  // namespace dcmrank

#pragma once

#include <string>
#include <string_view>

#include "dcmrank/fit/statistics.h"

namespace dcmrank {

/// What `dcmrank count` writes: the statistics of a log, or of a part of one, and what was found in
/// reading it. Merging the files of the parts gives the statistics of the whole
/// (docs/formats-logs.md). Throws InputError where an id holds a tab or a newline.
std::string print_counts(const LogStatistics& log);

/// What a file holds beyond the counts, as its start tells. Throws InputError where it is none.
Needs held_by_counts(std::string_view text, const std::string& source);

/// Adds what a file holds to `log`: the counts, and what `log` holds beyond them; the rest is left.
/// Throws InputError naming the source, the line and what is wrong with it, and where the file
/// lacks what `log` holds; a file that was cut off is noticed by its missing last line.
void merge_counts(std::string_view text, const std::string& source, LogStatistics& log);

}  // namespace dcmrank

#pragma once

#include <string>

#include "dcmrank/fit/counts_table.h"
#include "dcmrank/page/report.h"

namespace dcmrank {

/// What `dcmrank count` writes: the counts of a log, or of a piece of one, and what was found in
/// reading it. Merging the files of the pieces gives the counts of the whole
/// (docs/formats-logs.md).
struct CountedLog {
  CountsTable counts;
  LogReport report;
};

/// Throws InputError where an id holds a tab or a newline.
std::string print_counts(const CountedLog& log);

/// Adds what a file holds to `log`. Throws InputError naming the source, the line and what is wrong
/// with it; a file that was cut off is noticed by its missing last line.
void merge_counts(std::string_view text, const std::string& source, CountedLog& log);

}  // namespace dcmrank

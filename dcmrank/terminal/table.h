#pragma once

#include <string>
#include <vector>

namespace dcmrank::command {

/// Rows of text set in columns; the first row is the heading. The first column is set to the left,
/// the others, which are numbers, to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// The same for a paper: a tabular with the rules of booktabs, of many rows a longtable, with
/// `note` below it. Columns of words are set to the left.
std::string latex_table(const std::vector<std::vector<std::string>>& rows,
                        const std::string& note = "");

/// Text broken between words into lines of at most 100 columns, of which the first `indent` are
/// left free in all lines but the first, which the caller has begun.
std::string wrapped(const std::string& text, std::size_t indent);

}  // namespace dcmrank::command

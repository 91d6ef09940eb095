#pragma once

#include "dcmrank/log/format.h"

namespace dcmrank {

/// Whether a log begins as a table does whose columns have other names than the usual ones: a line
/// of several words, and as many fields in most of the others.
bool is_like_a_table(LogHead head);

}  // namespace dcmrank

#pragma once

#include <string_view>

namespace dcmrank {

/// Throws InputError, which says what to do, where a file that begins so is no log: an archive, a
/// database, or something that this program wrote.
void refuse_other_files(std::string_view beginning);

}  // namespace dcmrank

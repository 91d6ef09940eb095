#pragma once

#include <string_view>

namespace dcmrank {

/// Whether the text is well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong or above
/// U+10FFFF). Ids must be, since they are written into JSON.
bool is_utf8(std::string_view text);

}  // namespace dcmrank

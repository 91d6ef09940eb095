#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dcmrank {

/// What programs of Windows put before a text of UTF-8; it is no part of the text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The bytes of the character at i, 0 if it is not well-formed (RFC 3629, section 4).
std::size_t character_at(std::string_view text, std::size_t i);

/// Whether the text is well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong or above
/// U+10FFFF). Ids must be, since they are written into JSON.
bool is_utf8(std::string_view text);

/// The text for a one-line message: control characters and bytes that are not UTF-8 as "\x1b".
std::string printable(std::string_view text);

}  // namespace dcmrank

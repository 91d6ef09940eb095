#pragma once

/// Among its sources, the library is compiled with the headers that are there. Where it is
/// installed, this header is another (same_version.h.in): whoever includes it can be linked only
/// with the library that was built from the very same headers, since mixed ones would crash.

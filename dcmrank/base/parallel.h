#pragma once

#include <cstddef>
#include <functional>

namespace dcmrank {

/// The number of threads to use: 0 means one per core.
unsigned resolve_threads(unsigned requested);

/// Calls body(0), ..., body(n - 1), each once, on `threads` threads that take the next index when
/// they are free. Returns when all are done. The first exception stops the rest and is rethrown.
void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& body);

}  // namespace dcmrank

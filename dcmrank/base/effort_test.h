// How much a test does: less where its code is slowed down by instrumentation.
#pragma once

namespace dcmrank {

template <typename T>
constexpr T effort([[maybe_unused]] T whole, [[maybe_unused]] T instrumented) {
#ifdef DCMRANK_INSTRUMENTED
  return instrumented;
#else
  return whole;
#endif
}

}  // namespace dcmrank

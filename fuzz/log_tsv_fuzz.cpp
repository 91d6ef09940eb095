// A click log in the format tsv.
#include "log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcmrank::fuzz_log(dcmrank::kTsv, {reinterpret_cast<const char*>(data), size});
  return 0;
}

// A click log in the format yandex2014.
#include "log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcmrank::fuzz_log(dcmrank::kYandex2014, {reinterpret_cast<const char*>(data), size});
  return 0;
}

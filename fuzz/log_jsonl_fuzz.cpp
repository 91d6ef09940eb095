// A click log in the format jsonl, its paths found out.
#include "dcmrank/base/error.h"
#include "log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    dcmrank::fuzz_log(dcmrank::kJsonl, {reinterpret_cast<const char*>(data), size});
  } catch (const dcmrank::InputError&) {
    // no header, or without the columns; or an id that counts cannot hold
  }
  return 0;
}

// A click log in the format csv, its header and columns found out.
#include "dcmrank/base/error.h"
#include "log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    dcmrank::fuzz_log(dcmrank::kCsv, {reinterpret_cast<const char*>(data), size});
  } catch (const dcmrank::InputError&) {
    // no header, or without the columns; or an id that counts cannot hold
  }
  return 0;
}

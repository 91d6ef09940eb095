// A file of counts: refused with InputError, or counts that print and read back the same.
#include <cstdlib>

#include "dcmrank/base/error.h"
#include "dcmrank/fit/counts_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcmrank::CountedLog log;
  try {
    dcmrank::merge_counts({reinterpret_cast<const char*>(data), size}, "fuzz", log);
  } catch (const dcmrank::InputError&) {
    return 0;
  }
  const std::string text = print_counts(log);
  dcmrank::CountedLog again;
  try {
    dcmrank::merge_counts(text, "again", again);
  } catch (const dcmrank::InputError&) {
    return 0;  // sums above what a file may hold
  }
  if (print_counts(again) != text) std::abort();
  return 0;
}

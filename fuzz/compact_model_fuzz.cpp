// A compact model: what is read, written again, reads as the same model.
#include <cstdlib>

#include "dcmrank/base/error.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  dcmrank::FittedModel model;
  try {
    const dcmrank::CompactModel compact(bytes, "fuzz");
    compact.find("q");
    model = compact.model();
  } catch (const dcmrank::InputError&) {
    return 0;
  }
  const std::string again = dcmrank::print_compact(model);
  if (print_model(dcmrank::parse_model(again, "again")) != print_model(model)) std::abort();
  return 0;
}

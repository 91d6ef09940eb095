// A problem, as a file and as lb:...: refused with InputError or a problem that passes check().
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/base/error.h"
#include "dcmrank/users/problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(*dcmrank::parse_problem(text, "fuzz").dcm());
  } catch (const dcmrank::InputError&) {
  }
  try {
    dcmrank::LowerBoundClass parameters = dcmrank::parse_lower_bound_class(text);
    if (parameters.items < 100000) check(make_dcm(parameters));
  } catch (const dcmrank::InputError&) {
  }
  return 0;
}

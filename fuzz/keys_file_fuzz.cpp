// A file of keys: refused with InputError, or keys that let nobody in without one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/base/error.h"
#include "dcmrank/service/keys.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank::service;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Keys keys(text, "fuzz");
    keys.grant(RequestHead());
    __builtin_trap();
  } catch (const dcmrank::InputError&) {
  } catch (const ApiError& error) {
    if (error.status != 401) __builtin_trap();
  }
  return 0;
}

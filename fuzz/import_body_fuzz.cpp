// The body of an import: an export, a model file, or refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/base/error.h"
#include "dcmrank/http/message.h"
#include "dcmrank/service/transfer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank::service;
  try {
    const ImportBatch batch =
        parse_import(std::string_view(reinterpret_cast<const char*>(data), size), "default", 1024);
    for (const auto& [model, query] : batch.queries) {
      if (query.query.empty()) __builtin_trap();
    }
  } catch (const ApiError&) {
  } catch (const dcmrank::InputError&) {
  }
  return 0;
}

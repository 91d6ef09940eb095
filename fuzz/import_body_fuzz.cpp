// The body of an import: an export, a model file, or refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/base/error.h"
#include "dcmrank/http/message.h"
#include "dcmrank/ledger/possible.h"
#include "dcmrank/policy/dcm_rows.h"
#include "dcmrank/service/transfer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank::service;
  try {
    const ImportBatch batch =
        parse_import(std::string_view(reinterpret_cast<const char*>(data), size), "default", {});
    static const auto browsing = family_of(dcmrank::parse_policy_spec("ubm-ts"), 2);
    for (const auto& query : batch.queries) {
      if (query.sums.query.empty()) __builtin_trap();
      if (query.sums.delta.rounds > kMostRounds) __builtin_trap();
      fault_of(query.sums.delta, browsing);
      fault_of(query.sums.delta, dcmrank::DcmRows::kFamily);
    }
  } catch (const ApiError&) {
  } catch (const dcmrank::InputError&) {
  }
  return 0;
}

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// What a recount of a store found.
struct VerifyReport {
  std::uint64_t queries = 0;
  std::uint64_t items = 0;
  std::uint64_t impressions = 0;
  std::uint64_t open = 0;
  std::uint64_t faults = 0;
  std::vector<std::string> first_faults;  // the first few
  std::uint64_t unfinished = 0;           // no faults (StoreReader::unfinished)
  std::vector<std::string> first_unfinished;
  std::vector<std::string> unknown;  // models of policies that this program does not know: whether
                                     // lists taught what their clicks say was not checked
};

/// Recounts: the state of every query must be what was imported and folded into it, plus what its
/// recorded impressions contributed, to the last bit. A server may be running.
VerifyReport verify(StoreReader& store);

}  // namespace dcmrank::service

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dcmrank::service {

/// What a recount of a data folder found.
struct VerifyReport {
  std::uint64_t queries = 0;
  std::uint64_t items = 0;
  std::uint64_t impressions = 0;
  std::uint64_t open = 0;
  std::uint64_t faults = 0;
  std::vector<std::string> first_faults;  // the first few
};

/// Recounts: the state of every query must be what was imported and folded into it, plus what its
/// recorded impressions contributed, to the last bit. Reads a snapshot; a server may be running.
VerifyReport verify(const std::string& data);

/// Copies a database, which a server may be using, to a file that appears whole.
void backup(const std::string& data, const std::string& out);

}  // namespace dcmrank::service

#include "dcmrank/ledger/bucket.h"

#include "dcmrank/ledger/hash.h"

namespace dcmrank::service {

// Of fixed bytes, whatever the machine: these buckets are in databases.
std::size_t bucket_of(std::int64_t model, std::string_view text) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(model) >> shift & 0xffU);
  }
  bytes += text;
  return static_cast<unsigned char>(sha256(bytes).front());
}

std::string text_key(std::string_view text) { return sha256(text).substr(0, 16); }

}  // namespace dcmrank::service

#include "dcmrank/ledger/hash.h"

#include <sodium.h>

namespace dcmrank::service {

std::string sha256(std::string_view text) {
  std::string hash(crypto_hash_sha256_BYTES, '\0');
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(hash.data()),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return hash;
}

}  // namespace dcmrank::service

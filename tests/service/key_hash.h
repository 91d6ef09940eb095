#pragma once

#include <array>
#include <string>

#include <sodium.h>

namespace dcmrank::testing {

/// A key as the files of keys have it: "sha256:HEX".
inline std::string hash_of(const std::string& key) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(key.data()), key.size());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return std::string("sha256:") + hex.data();
}

/// A line of a keys file, and a table of a configuration file.
inline std::string key_line(const std::string& key, const std::string& rest) {
  return hash_of(key) + " " + rest + "\n";
}
inline std::string key_table(const std::string& key, const std::string& rest) {
  return "[[keys]]\nhash = \"" + hash_of(key) + "\"\n" + rest + "\n";
}

inline std::string bearer(const std::string& key) {
  return "Authorization: Bearer " + key + "\r\n";
}

}  // namespace dcmrank::testing

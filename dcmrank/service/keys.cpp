#include "dcmrank/service/keys.h"

#include <sstream>

#include <fmt/format.h>
#include <sodium.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::service {
namespace {

constexpr std::string_view kKeyPrefix = "sha256:";

std::uint8_t parse_scopes(std::string_view text, const std::string& where) {
  unsigned scopes = 0;
  for (const std::string_view word : split(text, ',')) {
    if (word == "rank") {
      scopes |= static_cast<unsigned>(Scope::kRank);
    } else if (word == "feedback") {
      scopes |= static_cast<unsigned>(Scope::kFeedback);
    } else if (word == "admin") {
      scopes |= static_cast<unsigned>(Scope::kAdmin);
    } else {
      throw InputError(
          fmt::format("{}: scope {} is not one of rank, feedback, admin", where, quote(word)));
    }
  }
  return static_cast<std::uint8_t>(scopes);
}

}  // namespace

Keys::Entry Keys::parse(std::string_view line, const std::string& where) {
  std::istringstream words{std::string(line)};
  std::string key;
  std::string scopes;
  std::string model;
  std::string rest;
  words >> key >> scopes >> model;
  if (model.empty() || words >> rest) {
    throw InputError(fmt::format("{}: not a line 'sha256:HEX scope[,scope] model'", where));
  }
  Entry entry{};
  std::size_t size = 0;
  // The message does not repeat what stands there: it may be a key that should have been hashed.
  if (!key.starts_with(kKeyPrefix) ||
      sodium_hex2bin(entry.hash.data(), entry.hash.size(), key.data() + kKeyPrefix.size(),
                     key.size() - kKeyPrefix.size(), nullptr, &size, nullptr) != 0 ||
      size != entry.hash.size() || key.size() != kKeyPrefix.size() + 2 * size) {
    throw InputError(fmt::format(
        "{}: the key is not 'sha256:' and 64 hexadecimal digits (printf %s KEY | sha256sum)",
        where));
  }
  entry.grant.scopes = parse_scopes(scopes, where);
  entry.grant.model = model == "*" ? "" : model;
  return entry;
}

Keys::Keys(std::string_view text, const std::string& file) : needed_(true) {
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') continue;
    entries_.push_back(parse(line, fmt::format("{}:{}", file, number)));
  }
  if (entries_.empty()) throw InputError(fmt::format("{} holds no key", file));
}

Grant Keys::grant(const RequestHead& head) const {
  if (!needed_) return {};
  std::string_view key = head.api_key;
  constexpr std::string_view kBearer = "Bearer ";
  if (head.authorization.starts_with(kBearer)) key = head.authorization.substr(kBearer.size());
  if (key.empty()) {
    throw ApiError{401, "no_key", "a key is needed: Authorization: Bearer KEY"};
  }
  Hash hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(key.data()), key.size());
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    if (sodium_memcmp(entry.hash.data(), hash.data(), hash.size()) == 0) found = &entry;
  }
  if (found == nullptr) throw ApiError{401, "wrong_key", "the key is not known"};
  return found->grant;
}

}  // namespace dcmrank::service

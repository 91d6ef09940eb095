#include "dcmrank/service/keys.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <sodium.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::service {
namespace {

// A word such as rate=100. What is no such word is not repeated: it may be a key.
void read_word(KeyEntry& entry, std::string_view word, std::set<std::string_view>& seen,
               const std::string& where) {
  const std::size_t sign = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, sign);
  const std::string_view text = word.substr(std::min(sign + 1, word.size()));
  if (name == "name") {
    read_name(entry, text, where);
  } else if (name == "expires") {
    read_expiry(entry, parse_moment(text), where);
  } else if (name == "rate" || name == "burst" || name == "held") {
    read_limit(entry, name, parse_unsigned(text), where);
  } else {
    throw InputError(fmt::format(
        "{}: after the model only name=, expires=, rate=, burst= and held= may follow", where));
  }
  if (!seen.insert(name).second) throw InputError(fmt::format("{}: {}= twice", where, name));
}

KeyEntry parse_key_line(std::string_view line, const std::string& where) {
  std::istringstream words{std::string(line)};
  std::string key;
  std::string scopes;
  std::string model;
  words >> key >> scopes >> model;
  if (model.empty()) {
    throw InputError(fmt::format("{}: not a line 'sha256:HEX scope[,scope] model'", where));
  }
  KeyEntry entry;
  entry.where = where;
  read_hash(entry, key, where);
  for (const std::string_view word : split(scopes, ',')) read_scope(entry, word, where);
  read_model(entry, model, where);
  std::vector<std::string> rest;
  for (std::string word; words >> word;) rest.push_back(word);
  std::set<std::string_view> seen;
  for (const std::string& word : rest) read_word(entry, word, seen, where);
  return entry;
}

}  // namespace

std::vector<KeyEntry> parse_keys_file(std::string_view text, const std::string& file) {
  std::vector<KeyEntry> entries;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') continue;
    entries.push_back(parse_key_line(line, fmt::format("{}:{}", file, number)));
  }
  if (entries.empty()) throw InputError(fmt::format("{} holds no key", file));
  return entries;
}

Keys::Keys(std::vector<KeyEntry> entries) : entries_(std::move(entries)) {
  std::map<std::string, const KeyEntry*> known;
  for (const KeyEntry& entry : entries_) {
    const auto [at, first] = known.emplace(print_hash(entry), &entry);
    if (first) continue;
    throw InputError(fmt::format("{}: the same key as at {}", entry.where, at->second->where));
  }
}

std::vector<std::string> Keys::notes() const {
  std::vector<std::string> notes;
  if (needed() && std::all_of(entries_.begin(), entries_.end(), has_expired)) {
    notes.emplace_back("all keys have expired: every call that needs one will be refused");
  }
  for (const KeyEntry& entry : entries_) {
    const bool watches = (entry.grant.scopes & static_cast<unsigned>(Scope::kMetrics)) != 0;
    if (has_expired(entry)) {
      notes.push_back(fmt::format("{}: the key has expired ({}): it opens nothing", entry.where,
                                  print_moment(*entry.expires)));
    } else if (watches && !entry.grant.model.empty()) {
      notes.push_back(fmt::format(
          "{}: the scope metrics of a key for one model opens nothing: metrics are of all models, "
          "and need a key for all models (*)",
          entry.where));
    }
  }
  return notes;
}

Grant Keys::grant(const RequestHead& head) const {
  if (!needed()) return {};
  std::string_view key = head.api_key;
  constexpr std::string_view kBearer = "bearer ";
  // The scheme in any case (RFC 9110, 11.1).
  const std::string_view scheme = head.authorization.substr(0, kBearer.size());
  if (std::equal(scheme.begin(), scheme.end(), kBearer.begin(), kBearer.end(),
                 [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; })) {
    key = head.authorization.substr(kBearer.size());
  }
  if (key.empty()) {
    throw ApiError{401, "no_key", "a key is needed: Authorization: Bearer KEY"};
  }
  decltype(KeyEntry::hash) hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(key.data()), key.size());
  const KeyEntry* found = nullptr;
  for (const KeyEntry& entry : entries_) {
    if (sodium_memcmp(entry.hash.data(), hash.data(), hash.size()) == 0) found = &entry;
  }
  if (found == nullptr) throw ApiError{401, "wrong_key", "the key is not known"};
  if (has_expired(*found)) {
    throw ApiError{.status = 401,
                   .code = "expired_key",
                   .message = "the key expired at " + print_moment(*found->expires),
                   .caller = found->grant.name};
  }
  return found->grant;
}

}  // namespace dcmrank::service

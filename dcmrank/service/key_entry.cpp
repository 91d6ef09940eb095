#include "dcmrank/service/key_entry.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <sodium.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"

namespace dcmrank::service {
namespace {

constexpr std::string_view kHashPrefix = "sha256:";
constexpr std::size_t kMostOfAName = 100;
constexpr std::uint64_t kMostHeld = std::uint64_t{1} << 40U;
constexpr std::int64_t kLastMoment = 253'402'300'799;  // of the year 9999

constexpr std::array<std::pair<std::string_view, Scope>, 4> kScopes{{{"rank", Scope::kRank},
                                                                     {"feedback", Scope::kFeedback},
                                                                     {"metrics", Scope::kMetrics},
                                                                     {"admin", Scope::kAdmin}}};

std::string hex(const KeyEntry& entry) {
  std::array<char, 2 * 32 + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), entry.hash.data(), entry.hash.size());
  return digits.data();
}

bool is_plain(std::string_view text) {
  const bool printable = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  return !text.empty() && printable && is_utf8(text);
}

}  // namespace

std::string told_to(const Grant& grant, const Reason& reason) {
  const bool admin = (grant.scopes & static_cast<unsigned>(Scope::kAdmin)) != 0;
  if ((admin && grant.model.empty()) || reason.told == reason.why) return reason.why;
  return reason.told + "; the log says why";
}

void read_hash(KeyEntry& entry, std::string_view text, const std::string& where) {
  std::size_t size = 0;
  const std::string_view digits = text.substr(std::min(kHashPrefix.size(), text.size()));
  if (!text.starts_with(kHashPrefix) || digits.size() != 2 * entry.hash.size() ||
      sodium_hex2bin(entry.hash.data(), entry.hash.size(), digits.data(), digits.size(), nullptr,
                     &size, nullptr) != 0 ||
      size != entry.hash.size()) {
    throw InputError(fmt::format(
        "{}: the key is not 'sha256:' and 64 hexadecimal digits (printf %s KEY | sha256sum)",
        where));
  }
  for (std::size_t n = 0; n < sizeof(entry.grant.id); ++n) {
    entry.grant.id = entry.grant.id << 8U | entry.hash.at(n);
  }
  if (entry.grant.name.empty()) entry.grant.name = hex(entry).substr(0, 8);
}

void read_scope(KeyEntry& entry, std::string_view word, const std::string& where) {
  for (const auto& [name, scope] : kScopes) {
    if (word != name) continue;
    entry.grant.scopes |= static_cast<std::uint8_t>(scope);
    return;
  }
  throw InputError(
      fmt::format("{}: scope {} is not one of rank, feedback, metrics, admin", where, quote(word)));
}

void read_model(KeyEntry& entry, std::string_view text, const std::string& where) {
  if (!is_plain(text)) {
    throw InputError(fmt::format("{}: the model is not a name, or * for all models", where));
  }
  if (text.find(',') != std::string_view::npos) {  // it would be the name of one model
    throw InputError(
        fmt::format("{}: the model has a comma: a key is for one model or for all; use one key for "
                    "each model, or * for all models",
                    where));
  }
  entry.grant.model = text == "*" ? "" : text;
}

void read_name(KeyEntry& entry, std::string_view text, const std::string& where) {
  if (!is_plain(text) || text.size() > kMostOfAName) {
    throw InputError(
        fmt::format("{}: the name is not a text of 1 to {} bytes", where, kMostOfAName));
  }
  entry.grant.name = text;
}

void read_expiry(KeyEntry& entry, std::optional<std::int64_t> moment, const std::string& where) {
  if (!moment || *moment < 0 || *moment > kLastMoment) {
    throw InputError(
        fmt::format("{}: expires is not a date such as 2027-01-31 or 2027-01-31T12:00:00Z, "
                    "from 1970 to 9999",
                    where));
  }
  entry.expires = moment;
}

void read_limit(KeyEntry& entry, std::string_view which, std::optional<std::uint64_t> value,
                const std::string& where) {
  const std::uint64_t least = which == "burst" ? 1 : 0;
  const std::uint64_t most = which == "held" ? kMostHeld : kMostRequests;
  if (!value || *value < least || *value > most) {
    throw InputError(
        fmt::format("{}: {} is not a whole number from {} to {}", where, which, least, most));
  }
  Grant& grant = entry.grant;
  (which == "rate" ? grant.rate : which == "burst" ? grant.burst : grant.held) = value;
}

bool has_expired(const KeyEntry& entry) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return entry.expires && std::chrono::floor<std::chrono::seconds>(since).count() >= *entry.expires;
}

std::string print_hash(const KeyEntry& entry) { return std::string(kHashPrefix) + hex(entry); }

std::string print_scopes(const Grant& grant) {
  std::string text;
  for (const auto& [name, scope] : kScopes) {
    if ((grant.scopes & static_cast<unsigned>(scope)) == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(name);
  }
  return text;
}

}  // namespace dcmrank::service

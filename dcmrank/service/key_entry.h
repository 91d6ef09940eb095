#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dcmrank/store/reason.h"

namespace dcmrank::service {

enum class Scope : std::uint8_t { kRank = 1, kFeedback = 2, kAdmin = 4, kMetrics = 8 };

/// What a caller may do, and how much of it.
struct Grant {
  std::uint8_t scopes = 15;
  std::string model{};   // empty: all
  std::string name{};    // for logs; never the key
  std::uint64_t id = 0;  // of the key, wherever and whenever it is read; 0: nobody needs a key
  // Of this key alone; what is not there is as the service's options say.
  std::optional<std::uint64_t> rate{};   // requests a second; 0: no limit
  std::optional<std::uint64_t> burst{};  // requests at once
  std::optional<std::uint64_t> held{};   // events held for impressions not known yet
};

/// All of it for whoever runs the service (the scope admin, for all models); for others our own
/// words, and where there is more.
std::string told_to(const Grant& grant, const Reason& reason);

/// The most that a rate and a burst may be.
inline constexpr std::uint64_t kMostRequests = 1'000'000;

/// One key, as the keys file and the configuration file describe it.
struct KeyEntry {
  std::array<unsigned char, 32> hash{};  // SHA-256
  Grant grant{.scopes = 0};
  std::optional<std::int64_t> expires{};  // seconds since 1970; refused from then on
  std::string where{};                    // file and line
};

/// The parts of an entry. Each throws InputError, which begins with `where`; none repeats what may
/// be a key that should have been hashed.
void read_hash(KeyEntry& entry, std::string_view text, const std::string& where);
void read_scope(KeyEntry& entry, std::string_view word, const std::string& where);
void read_model(KeyEntry& entry, std::string_view text, const std::string& where);
void read_name(KeyEntry& entry, std::string_view text, const std::string& where);
void read_expiry(KeyEntry& entry, std::optional<std::int64_t> moment, const std::string& where);
/// `which` is rate, burst or held; nothing where the value is no whole number.
void read_limit(KeyEntry& entry, std::string_view which, std::optional<std::uint64_t> value,
                const std::string& where);

/// Whether it is refused now, by the wall clock.
bool has_expired(const KeyEntry& entry);

/// "sha256:HEX", and the names of the scopes with commas between them.
std::string print_hash(const KeyEntry& entry);
std::string print_scopes(const Grant& grant);

/// The start of a day (UTC) in seconds since 1970; nothing where there is no such day.
std::optional<std::int64_t> day_start(int year, unsigned month, unsigned day);
/// 2027-01-31, or 2027-01-31T12:00:00Z.
std::optional<std::int64_t> parse_moment(std::string_view text);
/// In the longer form.
std::string print_moment(std::int64_t seconds);

}  // namespace dcmrank::service

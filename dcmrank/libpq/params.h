#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank::service {

/// The values of a statement's parameters, in their order, as PostgreSQL sends them over the wire:
/// whole numbers are int8, texts and blobs are bytea, and lists are arrays of these.
class PgParams {
 public:
  PgParams& number(std::int64_t value);
  PgParams& number(std::uint64_t value) { return number(static_cast<std::int64_t>(value)); }
  PgParams& bytes(std::string_view value);
  PgParams& numbers(std::span<const std::int64_t> values);
  PgParams& numbers(std::span<const std::optional<std::int64_t>> values);
  PgParams& texts(std::span<const std::string_view> values);
  PgParams& texts(std::span<const std::optional<std::string_view>> values);

  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

}  // namespace dcmrank::service

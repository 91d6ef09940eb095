// Where records belong, in a store that several machines share: everything of a query lives in one
// bucket, and one transaction touches one bucket.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dcmrank::service {

inline constexpr std::size_t kBuckets = 256;
using Buckets = std::bitset<kBuckets>;

/// The bucket of what a model knows by this text: a query, or a caller's own id of an impression.
std::size_t bucket_of(std::int64_t model, std::string_view text);

/// The number of an impression carries the bucket of its query: whoever has it need not look.
inline std::size_t bucket_of(std::uint64_t number) { return number % kBuckets; }

/// 16 bytes that stand for a text in keys, whatever its length.
std::string text_key(std::string_view text);

}  // namespace dcmrank::service

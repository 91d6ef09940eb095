#pragma once

#include <cstdint>
#include <filesystem>

namespace dcmrank::bench {

/// Writes a yandex2011 log of about this many bytes: 1,000 queries whose frequencies fall as
/// 1/rank, 30 items each, lists of 10 in random order, so that hardly a list comes twice.
void write_log(const std::filesystem::path& file, std::uint64_t bytes);

}  // namespace dcmrank::bench

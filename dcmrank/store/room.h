#pragma once

#include <cstdint>
#include <filesystem>

namespace dcmrank::service {

/// The disk that a folder is on, in bytes.
struct DiskRoom {
  std::uint64_t free = UINT64_MAX;  // for this process
  /// What stays free: room to move the log to the database file, and for one more transaction.
  std::uint64_t reserve = 0;
};

/// Where the disk does not say it has all the room that there is.
DiskRoom room_of(const std::filesystem::path& folder);

}  // namespace dcmrank::service

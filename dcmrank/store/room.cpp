#include "dcmrank/store/room.h"

#include <algorithm>

#include <sys/statvfs.h>

namespace dcmrank::service {

DiskRoom room_of(const std::filesystem::path& folder) {
  constexpr std::uint64_t kMostReserve = std::uint64_t{16} << 20U;
  constexpr std::uint64_t kOneIn = 8;
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0 || found.f_blocks == 0) return {};
  const std::uint64_t all = std::uint64_t{found.f_blocks} * found.f_frsize;
  return {std::uint64_t{found.f_bavail} * found.f_frsize, std::min(kMostReserve, all / kOneIn)};
}

}  // namespace dcmrank::service

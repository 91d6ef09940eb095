#pragma once

#include <filesystem>
#include <string>

#include "dcmrank/store/sqlite.h"

namespace dcmrank::service {

/// The layout of the database: docs/service-storage.md. A change of the layout is a new version and
/// a step in migrate().
inline constexpr int kLayoutVersion = 1;
inline constexpr int kApplicationId = 0x64636d72;  // "dcmr"

/// The database file of a data folder.
std::filesystem::path database_file(const std::filesystem::path& data);

/// Holds a data folder for one server: a lock that goes with the process.
class FolderLock {
 public:
  /// Makes the folder where it is not there. Throws InputError where another server holds it.
  explicit FolderLock(const std::filesystem::path& data);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock(FolderLock&&) = delete;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int descriptor_ = -1;
};

/// Throws InputError where the file is not a database of dcmrank, or one of a later version. Writes
/// nothing.
void check_database_file(const std::filesystem::path& file);

/// Makes the database where there is none (whole or not at all), brings an older layout to this
/// one, and sets it to write-ahead logging, with every commit forced to the disk.
Database open_database(const std::filesystem::path& data);

/// For reading only, beside the writer.
Database open_reader(const std::filesystem::path& data);

}  // namespace dcmrank::service

#pragma once

#include <filesystem>
#include <string>

#include "dcmrank/store/sqlite.h"

namespace dcmrank::service {

/// The layout of the database: docs/service-storage.md. A change of the layout is a new version and
/// a step in migrations.cpp.
inline constexpr int kLayoutVersion = 2;
inline constexpr int kApplicationId = 0x64636d72;  // "dcmr"

/// The database file of a data folder.
std::filesystem::path database_file(const std::filesystem::path& data);

/// Notes the start of a service, in a transaction; its number (Store::begin_start).
std::uint64_t note_start(Database& database);

/// Holds a data folder for one server: a lock that goes with the process.
class FolderLock {
 public:
  /// Makes the folder if there is none. Throws InputError if another server holds it; `option` said
  /// which folder it is.
  FolderLock(const std::filesystem::path& data, const char* option);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock(FolderLock&&) = delete;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int descriptor_ = -1;
};

/// Throws InputError if the file is not a database of dcmrank, or one of a later version.
/// Returns its version; writes nothing.
int check_database_file(const std::filesystem::path& file);

/// The tables of the present layout, in a database that has none of them.
void create_tables(Database& database);

/// Makes the database where there is none (whole or not at all), brings an older layout to this
/// one, and sets it to write-ahead logging, with every commit forced to the disk and zeros over
/// what is deleted. `migrated`: the version that it had, where that was another.
Database open_database(const std::filesystem::path& data, int* migrated = nullptr);

/// For reading only, beside the writer.
Database open_reader(const std::filesystem::path& data);

/// Brings the database from its version to the next, in one transaction each. migrations.cpp
void migrate(Database& database);

}  // namespace dcmrank::service

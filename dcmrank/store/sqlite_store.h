#pragma once

#include <filesystem>
#include <memory>

#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// The store in a folder, held for one server; made, or brought to the present layout, if needed.
/// Throws InputError if it cannot be, which names the option that said where it is.
std::unique_ptr<Store> open_sqlite_store(const std::filesystem::path& data,
                                         const char* option = "--data");

/// Reads beside a server, or without one. Throws InputError.
std::unique_ptr<StoreReader> open_sqlite_reader(const std::filesystem::path& data);

/// Copies the database, which a server may be using, to a file that appears whole.
void backup_sqlite(const std::filesystem::path& data, const std::filesystem::path& out);

}  // namespace dcmrank::service

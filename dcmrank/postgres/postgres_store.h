#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Whether this is the address of a PostgreSQL database, as libpq takes it.
bool is_postgres(std::string_view address);

/// The longest ids, queries and names of models that it keeps: a row of an index has 2,704 bytes at
/// most where pages have 8 KB, and a bucket, a model and a query stand before an id.
inline constexpr std::size_t kPgLongestId = 2600;

/// A store in PostgreSQL, which any number of processes may share (docs/fleet.md). Its tables are
/// made, or brought to the present layout. `connections`: at most so many for reading, besides the
/// writer's. Throws InputError where the address is wrong or the tables are of a later layout, and
/// StorageError where the database is away.
std::unique_ptr<Store> open_postgres_store(const std::string& uri, std::size_t connections);

/// For reading only; nothing is made or changed.
std::unique_ptr<StoreReader> open_postgres_reader(const std::string& uri);

}  // namespace dcmrank::service

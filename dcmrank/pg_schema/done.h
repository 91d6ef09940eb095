#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "dcmrank/libpq/session.h"

namespace dcmrank::service {

/// Written in a transaction, by which one finds out whether it was committed.
struct PgMark {
  std::size_t bucket = 0;
  std::uint64_t number = 0;
};

void pg_send_mark(PgSession& session, const PgMark& mark);

/// Whether the transaction with this mark was committed, whose connection was lost when it was to
/// be. `connect` gives a connection; where there is none for some seconds, UnsureError is thrown.
bool pg_was_committed(const std::function<PgSession&()>& connect, const PgMark& mark,
                      const Reason& lost);

}  // namespace dcmrank::service

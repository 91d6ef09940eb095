#include "dcmrank/pg_schema/done.h"

#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace dcmrank::service {
namespace {

constexpr const char* kMark = "INSERT INTO dcmrank.done(bucket, id) VALUES($1::int8, $2::int8)";
constexpr std::string_view kIsThere = "23505";  // a key that is there already
constexpr std::chrono::milliseconds kFindOut(5000);
constexpr std::chrono::milliseconds kNextTry(100);

}  // namespace

void pg_send_mark(PgSession& session, const PgMark& mark) {
  session.send(kMark, PgParams().number(std::uint64_t{mark.bucket}).number(mark.number));
}

// Whoever writes the same mark fails if it was committed, and waits as long as it may be.
bool pg_was_committed(const std::function<PgSession&()>& connect, const PgMark& mark,
                      const Reason& lost) {
  const auto until = std::chrono::steady_clock::now() + kFindOut;
  for (;;) {
    try {
      PgSession& session = connect();
      pg_send_mark(session, mark);
      session.sync();
      const PgGroup group = std::move(session.collect().front());
      if (!group.failed()) return false;
      if (group.state == kIsThere) return true;
    } catch (const StorageError&) {  // not there yet
    }
    if (std::chrono::steady_clock::now() >= until) throw UnsureError(lost);
    std::this_thread::sleep_for(kNextTry);
  }
}

}  // namespace dcmrank::service

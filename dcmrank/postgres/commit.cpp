// The part of the writer that sends what a transaction did: one transaction for each bucket.
#include <algorithm>
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

constexpr const char* kDropClaim =
    "DELETE FROM dcmrank.named WHERE bucket = $1::int8 AND model = $2::int8 AND id = $3::bytea "
    "AND number = $4::int8";
constexpr const char* kClaim =
    "INSERT INTO dcmrank.named(bucket, model, id, number, body, answer) "
    "SELECT $1::int8, u.model, u.id, u.number, u.body, u.answer FROM "
    "unnest($2::int8[], $3::bytea[], $4::int8[], $5::bytea[], $6::bytea[]) "
    "AS u(model, id, number, body, answer) ON CONFLICT(bucket, model, id) DO UPDATE "
    "SET at = clock_timestamp() WHERE named.number = excluded.number "
    "RETURNING number, (extract(epoch FROM at) * 1000)::int8";
constexpr const char* kErasedMeanwhile =
    "SELECT u.number FROM unnest($1::int8[], $2::int8[], $3::bytea[], $4::int8[], $5::int8[]) AS "
    "u(bucket, model, id, seen, number) JOIN dcmrank.erased AS e ON e.bucket = u.bucket AND "
    "e.model = u.model AND e.id = u.id AND e.number <> u.seen";
// By then others may take the id for free.
constexpr const char* kClaimsHold =
    "SELECT dcmrank.expect((extract(epoch FROM clock_timestamp()) * 1000 < $1::int8)::int, 1)";

constexpr const char* kFlush =
    "SELECT set_config('synchronous_commit', convert_from($1::bytea, 'UTF8'), true), "
    "pg_logical_emit_message(true, 'dcmrank', '')";

}  // namespace

// A caller's own id is claimed before its list is stored, in a transaction of its own. Where
// another process has it, the bucket of the list is done again, and finds that out.
void PgWriter::claim_names(Buckets& failed) {
  if (claims_.empty()) return;
  std::map<std::size_t, std::vector<const Claim*>> by_bucket;
  for (const Claim& claim : claims_) {
    by_bucket[bucket_of(claim.name.first, claim.name.second)].push_back(&claim);
  }
  for (const auto& [bucket, claims] : by_bucket) {
    std::vector<std::int64_t> models;
    std::vector<std::int64_t> numbers;
    std::vector<std::string_view> ids;
    std::vector<std::string_view> bodies;
    std::vector<std::string_view> answers;
    for (const Claim* claim : claims) {
      if (claim->stale) send_drop_claim(claim->name, *claim->stale);
      models.push_back(claim->name.first);
      ids.emplace_back(claim->name.second);
      numbers.push_back(static_cast<std::int64_t>(claim->number));
      bodies.emplace_back(claim->body);
      answers.emplace_back(claim->answer);
    }
    session_->send(kClaim, PgParams()
                               .number(std::uint64_t{bucket})
                               .numbers(models)
                               .texts(ids)
                               .numbers(numbers)
                               .texts(bodies)
                               .texts(answers));
    if (!named_transaction_) session_->sync();
  }
  if (named_transaction_) {
    session_->sync();
  } else {
    send_erasures();
  }
  std::map<std::uint64_t, Time> claimed;
  auto groups = session_->collect();
  if (!named_transaction_) {
    groups.back().check();
    const PgRows& erased = groups.back().rows.front();
    for (int n = 0; n < erased.size(); ++n) {
      failed.set(bucket_of(static_cast<std::uint64_t>(erased.number(n, 0))));
    }
    groups.pop_back();
  }
  for (const PgGroup& group : groups) {
    if (group.is_conflict()) continue;
    group.check();
    for (const PgRows& rows : group.rows) {
      for (int n = 0; n < rows.size(); ++n) {
        claimed[static_cast<std::uint64_t>(rows.number(n, 0))] = rows.number(n, 1);
      }
    }
  }
  for (Claim& claim : claims_) {
    const auto at = claimed.find(claim.number);
    if (at == claimed.end()) {
      failed.set(bucket_of(claim.number));
    } else {
      claim.at = at->second;
    }
  }
}

// After the claims, so that a list is either not stored, or found by whoever erases its id: he
// looks for claims after he has noted that (Teacher::erase_impression). Neither waits for the
// other.
void PgWriter::send_erasures() {
  std::vector<std::int64_t> buckets;
  std::vector<std::int64_t> models;
  std::vector<std::int64_t> seen;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> keys;
  keys.reserve(claims_.size());
  for (const Claim& claim : claims_) {
    const auto& [model, id] = claim.name;
    buckets.push_back(static_cast<std::int64_t>(bucket_of(model, id)));
    models.push_back(model);
    keys.push_back(text_key(id));
    seen.push_back(static_cast<std::int64_t>(claim.erasure));
    numbers.push_back(static_cast<std::int64_t>(claim.number));
  }
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  session_->send(
      kErasedMeanwhile,
      PgParams().numbers(buckets).numbers(models).texts(views).numbers(seen).numbers(numbers));
  session_->sync();
}

void PgWriter::send_claims_hold(std::size_t bucket) {
  std::optional<Time> first;
  for (const Claim& claim : claims_) {
    if (bucket_of(claim.number) == bucket) first = std::min(first.value_or(claim.at), claim.at);
  }
  if (first) session_->send(kClaimsHold, PgParams().number(*first + kClaimHolds));
}

void PgWriter::send_drop_claim(const Name& name, std::uint64_t number) {
  session_->send(kDropClaim, PgParams()
                                 .number(std::uint64_t{bucket_of(name.first, name.second)})
                                 .number(name.first)
                                 .bytes(name.second)
                                 .number(number));
}

void PgWriter::send_flush() {
  session_->send(kFlush, PgParams().bytes(session_->durable()));
  session_->sync();
}

// All buckets in one go, each a transaction; then one that waits for the disk.
Buckets PgWriter::send_buckets(const Buckets& given) {
  Buckets failed = given;
  std::vector<std::size_t> sent;
  for (const auto& [bucket, work] : work_) {
    if (failed.test(bucket)) continue;
    send_work(bucket, work);
    send_claims_hold(bucket);
    session_->sync();
    sent.push_back(bucket);
  }
  const bool cleaning = has_cleaning();
  if (!cleaning) send_flush();
  const auto groups = session_->collect();
  for (std::size_t n = 0; n < groups.size(); ++n) {
    const bool is_flush = n >= sent.size();
    if (!is_flush && groups[n].is_conflict()) {
      failed.set(sent[n]);
      continue;
    }
    if (groups[n].failed()) pool_->note_break();  // others are kept: memory must be read again
    groups[n].check();
  }
  if (cleaning) clean_up(failed);
  return failed;
}

Buckets PgWriter::commit() {
  doubt_ = true;
  try {
    const Buckets failed = commit_all();
    doubt_ = failed.any();
    return failed;
  } catch (const UnsureError&) {
    throw;
  } catch (const StorageError& error) {
    if (erased_apart_) throw UnsureError(error.reason());
    throw;
  }
}

Buckets PgWriter::commit_all() {
  Buckets failed;
  if (named_transaction_) {
    if (!flush_named_transaction()) {
      failed = locked_ ? Buckets().set(*locked_) : Buckets().set();
      rollback();
      return failed;
    }
    commit_named();
    if (has_cleaning()) clean_up_after_named();
  } else if (!work_.empty() || looked_ || has_cleaning()) {
    session();
    claim_names(failed);
    failed = send_buckets(failed);
  }
  clear();
  return failed;
}

// Where it is marked, a connection that is lost at the end of it leaves no doubt.
void PgWriter::commit_named() {
  if (mark_) pg_send_mark(*session_, *mark_);
  session_->send("SELECT set_config('synchronous_commit', convert_from($1::bytea, 'UTF8'), true)",
                 PgParams().bytes(session_->durable()));
  session_->sync();
  session_->collect().front().check();
  try {
    session_->run("COMMIT");
  } catch (const StorageError& lost) {
    if (!mark_) throw;
    named_transaction_ = false;
    session_.reset();
    pool_->note_break();
    const auto connect = [this]() -> PgSession& { return session(); };
    if (!pg_was_committed(connect, *mark_, lost.reason())) throw;
    flush_committed();
  }
  named_transaction_ = false;
  locked_.reset();
}

// What is acknowledged is durable.
void PgWriter::flush_committed() {
  try {
    send_flush();
    session_->collect().front().check();
  } catch (const StorageError& error) {
    throw UnsureError(error.reason());
  }
}

// Done twice, it does no harm.
void PgWriter::clean_up_after_named() {
  try {
    return clean_up({});
  } catch (const StorageError&) {
    if (!mark_) throw;
    session_.reset();
  }
  try {
    session();
    clean_up({});
  } catch (const StorageError& error) {
    throw UnsureError(error.reason());
  }
}

// Whatever was kept back goes into the transaction that was begun by name. False where somebody
// else was faster.
bool PgWriter::flush_named_transaction() {
  Buckets failed;
  claim_names(failed);
  if (failed.any()) return false;
  if (work_.empty()) return true;
  for (const auto& [bucket, work] : work_) send_work(bucket, work);
  session_->sync();
  const PgGroup group = std::move(session_->collect().front());
  if (group.is_conflict()) return false;
  group.check();
  work_.clear();
  claims_.clear();
  return true;
}

// In other buckets, each in a transaction of its own: what a crash leaves of it leads nowhere, and
// is found by whoever looks for such things (erase.cpp).
void PgWriter::clean_up(const Buckets& failed) {
  const auto names = [&](const char* sql, const std::vector<std::pair<std::size_t, Name>>& all) {
    for (const auto& [depends_on, name] : all) {
      if (failed.test(depends_on)) continue;
      session_->send(sql, PgParams()
                              .number(std::uint64_t{bucket_of(name.first, name.second)})
                              .number(name.first)
                              .bytes(name.second));
      session_->sync();
    }
  };
  names("DELETE FROM dcmrank.named WHERE bucket = $1::int8 AND model = $2::int8 AND id = $3::bytea",
        drop_names_);
  names(
      "UPDATE dcmrank.named SET answer = '' WHERE bucket = $1::int8 AND model = $2::int8 AND "
      "id = $3::bytea",
      blank_names_);
  names(
      "DELETE FROM dcmrank.held WHERE bucket = $1::int8 AND model = $2::int8 AND "
      "impression = $3::bytea",
      drop_held_of_);
  if (failed.none()) {
    for (const HeldEvent& held : drop_held_) {
      session_->send(
          "DELETE FROM dcmrank.held WHERE bucket = $1::int8 AND model = $2::int8 AND "
          "impression = $3::bytea AND number = $4::int8",
          PgParams()
              .number(std::uint64_t{bucket_of(held.model, held.event.impression)})
              .number(held.model)
              .bytes(held.event.impression)
              .number(held.number));
      session_->sync();
    }
  }
  for (const auto& [name, number] : free_claims_) {
    send_drop_claim(name, number);
    session_->sync();
  }
  for (const auto& [model, item] : drop_held_items_) {
    session_->send("DELETE FROM dcmrank.held WHERE model = $1::int8 AND item = $2::bytea",
                   PgParams().number(model).bytes(item));
    session_->sync();
  }
  send_flush();
  for (const PgGroup& group : session_->collect()) {
    if (!group.is_conflict()) group.check();
  }
}

}  // namespace dcmrank::service

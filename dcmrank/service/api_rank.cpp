// Ranking: the list for a query, and storing what was shown.
#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <utility>

#include "dcmrank/http/json_writer.h"
#include "dcmrank/ledger/hash.h"
#include "dcmrank/service/api.h"

namespace dcmrank::service {
namespace {

// Of all that the answer depends on, in the caller's order.
std::string hash_of(const RankRequest& request, std::string_view model) {
  std::string content;
  put_text(content, request.query);
  put_text(content, model);
  put_unsigned(content, request.k.value_or(0));
  for (const Candidate& item : request.items) {
    put_text(content, item.id);
    put_signed(content, to_fixed(item.prior.observed));
    put_signed(content, to_fixed(item.prior.attracted));
  }
  return sha256(content);
}

void check_same(const std::string& stored, const std::string& asked) {
  if (stored == asked) return;
  throw ApiError{409, "id_taken", "the id was used for another request", "id"};
}

// Of a list that is stored, to a request with this hash.
std::string answer_of(const StoreReader::Named& named, const std::string& hash) {
  check_same(named.body, hash);
  if (!named.answer.empty()) return named.answer;
  throw ApiError{410, "erased", "part of the stored answer was erased", "id"};
}

std::string page_blob(const RankRequest& request, const Ranking& ranking) {
  std::string out;
  put_unsigned(out, ranking.items.size());
  for (const Item e : ranking.items) put_text(out, request.items[e].id);
  put_unsigned(out, ranking.proposed.size());
  for (const Item e : ranking.proposed) {
    const auto at = std::find(ranking.items.begin(), ranking.items.end(), e);
    put_unsigned(out, static_cast<std::uint64_t>(at - ranking.items.begin()));
  }
  put_unsigned(out, ranking.gains.size());
  for (const double gain : ranking.gains) put_unsigned(out, std::bit_cast<std::uint64_t>(gain));
  return out;
}

void append_would_show(std::string& answer, const RankRequest& request,
                       std::span<const Item> items) {
  answer += kWouldShow;
  for (const Item e : items) {
    if (answer.back() != '[') answer += ',';
    append_text(answer, request.items[e].id);
  }
  answer += ']';
}

}  // namespace

bool Api::rank(std::string_view body, const Grant& grant, Response& response,
               const Ticket& ticket) {
  const auto start = std::chrono::steady_clock::now();
  const RankRequest& request = bodies_.rank(body);
  const auto model = find_model(meant_model(request.model, grant.model), grant);
  bool now = false;
  try {
    now = request.id.empty() ? record(rank_new(request, *model, response.body), request.durable,
                                      grant, response, ticket) != Recorded::kLater
                             : rank_named(request, *model, grant, response, ticket);
  } catch (const PolicyFault& fault) {  // its words are for those who run the service
    service_->journal().line(Journal::Level::kError, "policy_failed").with("problem", fault.what());
    throw ApiError{500, "policy_failed", "the model's policy failed; the service's log says how"};
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  service_->metrics().rank_seconds.Observe(took.count());
  return now;
}

// The same id and body again: the same answer. The turn is kept until the answer is known to all.
bool Api::rank_named(const RankRequest& request, const Model& model, const Grant& grant,
                     Response& response, const Ticket& ticket) {
  std::string hash = hash_of(request, model.name);
  const std::string name = NamedAnswers::name(model.id, request.id);
  auto& shard = service_->named().of(name);
  const NamedAnswers::Turn turn(shard, name, asking_ == Asking::kHere);
  if (!turn && asking_ == Asking::kElsewhere) throw MustAsk();
  if (!turn) throw ApiError{503, "busy", "a list of this id is being ranked; try again"};
  if (const auto known = shard.find(name)) {
    check_same(known->body, hash);
    response.body = known->answer;
    if (request.durable) {
      answer_when_stored(model.id, std::string(request.id), std::move(hash), grant, ticket);
    }
    return !request.durable;
  }
  const StoreReader::OwnId before = own_id_before(model, request);
  if (before.named) {
    response.body = answer_of(*before.named, hash);
    // What another server stored may not be on the disk yet.
    const bool later = request.durable && service_->store().is_shared();
    if (later) {
      answer_when_stored(model.id, std::string(request.id), std::move(hash), grant, ticket);
    }
    return !later;
  }
  NewImpression impression = rank_new(request, model, response.body);
  impression.id = request.id;
  impression.erasure = before.erasure;
  impression.body = std::move(hash);
  impression.answer = response.body;
  // It cannot be settled before it is entered here: that waits for the lock.
  const std::lock_guard lock(shard.mutex);
  const bool durable = request.durable;
  const NamedAnswers::Entry entry{impression.body, impression.answer};
  const Recorded recorded = record(std::move(impression), durable, grant, response, ticket);
  if (recorded != Recorded::kDropped) shard.entries.emplace(name, entry);
  return recorded != Recorded::kLater;
}

// Where the database is away, nobody knows; should the id have been used, this list is not kept. It
// is not asked at all where the writer hears nothing of it: each list would wait for that in vain.
StoreReader::OwnId Api::own_id_before(const Model& model, const RankRequest& request) {
  if (!request.durable && service_->writer().hears_nothing()) return {};
  try {
    auto known = store().own_id(model.id, request.id);
    if (known.named && request.durable && !known.named->stored) {
      throw ApiError{503, "busy", "the list is being stored by another server; try again"};
    }
    return known;
  } catch (const StorageError&) {
    store_failed_ = true;
    if (request.durable || !service_->store().is_shared()) throw;
    return {};
  }
}

// To one who asks again for a list that is on its way to the disk: what is stored there under its
// id, which may be what another server was faster with.
void Api::answer_when_stored(std::int64_t model, std::string id, std::string hash,
                             const Grant& grant, const Ticket& ticket) {
  const auto response = std::make_shared<Response>();
  const auto work = [model, response, id = std::move(id),
                     hash = std::move(hash)](Teacher& teacher) {
    const auto named = teacher.store().named(model, id);
    if (!named || !named->stored) {
      throw ApiError{503, "busy", "the list is not stored yet; try again"};
    }
    response->body = answer_of(*named, hash);
  };
  submit(*service_, Call::kRank, grant, ticket,
         {[] {}, work, [response] { return std::move(*response); }, nullptr, since_});
}

std::span<const double> shared_of(const Model& model) {
  return model.shared ? std::span<const double>(*model.shared) : std::span<const double>();
}

std::shared_ptr<QueryEntry> Api::find_query(std::int64_t model, std::string_view query) {
  using Age = QueryCache::Age;
  QueryCache& cache = service_->cache();
  if (asking_ != Asking::kHere) {
    const bool in_vain = asking_ == Asking::kNot || service_->writer().hears_nothing();
    const Age age = in_vain ? Age::kAny : Age::kAsSaid;
    if (auto known = cache.find(model, query, age)) return known;
    if (asking_ == Asking::kElsewhere && service_->writer().waits_long()) {
      if (auto known = cache.find(model, query, Age::kAsCompared)) return known;
    }
  }
  return cache.get(model, query, store());
}

// Where a record of it is damaged, or the database that several share is away, a list is better
// than none: nothing is known then.
std::shared_ptr<QueryEntry> Api::known_query(std::int64_t model, std::string_view query) {
  try {
    return find_query(model, query);
  } catch (const StorageError&) {
    store_failed_ = true;
    if (!service_->store().is_shared()) throw;
    service_->metrics().ranked_blind.Increment();
  } catch (const std::runtime_error& error) {
    service_->metrics().storage_errors.Increment();
    service_->journal()
        .line(Journal::Level::kError, "damaged_record")
        .with("problem", error.what());
  }
  auto nothing = std::make_shared<QueryEntry>();
  nothing->key = {model, std::string(query)};
  nothing->dropped = true;  // it is not in the cache
  return nothing;
}

NewImpression Api::rank_new(const RankRequest& request, const Model& model, std::string& answer) {
  const std::size_t k = request.k.value_or(std::min(model.k, request.items.size()));
  Learner& learner = learners_.get(model.policy, k);
  const auto query = known_query(model.id, request.query);
  NewImpression impression;
  std::uint64_t round = 0;
  {
    const std::shared_lock lock(query->mutex);
    learner.take(query->state, request.items, shared_of(model), model.fitted);
    round = query->state.rounds + 1;
    impression.epoch = query->standing.epoch;
  }
  ranking_.proposed.clear();  // of another policy
  ranking_.gains.clear();
  learner.rank(rng_, ranking_);
  if (learner.has_digests()) {
    {
      const std::unique_lock lock(query->mutex, std::try_to_lock);  // another time will do
      if (lock) learner.keep_digests(query->state, model.fitted);
    }
    service_->cache().measure(*query);
  }
  if (model.shadow) {
    would_show_ = ranking_.items;
    learner.impose(ranking_);
  }

  impression.number = service_->numbers().next(bucket_of(model.id, request.query));
  impression.word = static_cast<std::uint32_t>(rng_());
  impression.made = service_->clock().now();
  impression.model = model.id;
  impression.query = request.query;
  impression.page = page_blob(request, ranking_);

  answer += R"({"impression":)";
  append_text(answer, request.id.empty() ? made_id(impression.number, impression.word)
                                         : std::string(request.id));
  answer += R"(,"model":)";
  append_text(answer, model.name);
  answer += R"(,"round":)";
  append_number(answer, round);
  answer += R"(,"policy":)";
  append_text(answer, model.policy.text);
  answer += R"(,"items":[)";
  for (std::size_t n = 0; n < ranking_.items.size(); ++n) {
    const Item e = ranking_.items[n];
    answer += n == 0 ? R"({"id":)" : R"(,{"id":)";
    append_text(answer, request.items[e].id);
    answer += R"(,"position":)";
    append_number(answer, std::uint64_t{n + 1});
    answer += R"(,"score":)";
    append_number(answer, learner.score(e, n));
    answer += R"(,"estimate":)";
    append_number(answer, learner.estimate(e));
    answer += '}';
  }
  answer += ']';
  if (model.shadow) append_would_show(answer, request, would_show_);
  answer += '}';
  service_->metrics().impressions.Increment();
  return impression;
}

// Whoever asked for it gets the answer when the list is stored.
Api::Recorded Api::record(NewImpression impression, bool durable, const Grant& grant,
                          const Response& response, const Ticket& ticket) {
  Shown shown{std::move(impression), grant.name, nullptr, since_};
  Metrics& metrics = service_->metrics();
  if (durable) {
    const auto answer = std::make_shared<Response>(response);
    shown.done = [&metrics, grant, ticket, answer](const Reason& failure) {
      if (!failure.empty()) {
        refuse(metrics, {503, "storage", "the list was not stored: " + told_to(grant, failure)},
               *answer);
      }
      metrics.answers(to_text(Call::kRank), answer->status).Increment();
      ticket.answer(std::move(*answer));
    };
  }
  if (durable && !service_->writer().could_take(shown)) {
    throw ApiError{413, "too_large", "the list is too large to be queued for storing"};
  }
  if (service_->writer().offer(std::move(shown))) {
    return durable ? Recorded::kLater : Recorded::kNow;
  }
  metrics.impressions_dropped(Dropped::kQueue).Increment();
  if (durable) throw ApiError{503, "busy", "too many lists are waiting to be stored; try again"};
  return Recorded::kDropped;
}

}  // namespace dcmrank::service

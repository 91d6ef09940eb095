#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dcmrank/http/server.h"
#include "dcmrank/service/askers.h"
#include "dcmrank/service/bodies.h"
#include "dcmrank/service/route.h"
#include "dcmrank/service/service.h"

namespace dcmrank::service {

/// The calls of the service (docs/service.md), for one thread of its HTTP server.
class Api {
 public:
  /// Thrown where the store is to be asked, and this is not the thread to do it.
  struct MustAsk {};

  /// `askers`: who asks a store for which nobody here is to wait; nothing: it is asked here.
  explicit Api(Service& service, Askers* askers = nullptr);

  bool handle(const Request& request, Response& response, const Ticket& ticket);

  /// Who may send how much: asked once a request, before its body is read, which is where requests
  /// count against the limit of their key.
  std::size_t body_limit(const RequestHead& head);

  static Handler handler(Service& service, Askers* askers = nullptr);
  static Askers::Answer asker(Service& service);

 private:
  enum class Asking : std::uint8_t { kHere, kElsewhere, kNot };
  void may_ask() const;
  StoreReader& store() const;
  bool answer(const Request& request, Response& response, const Ticket& ticket);
  bool answer(const Ask& ask, bool silent);
  bool call(const Route& route, const Grant& grant, const Request& request, Response& response,
            const Ticket& ticket);
  Grant grant_of(const Route& route, const RequestHead& head);
  void admit(const Route& route, const RequestHead& head);
  void count(Call call, int status);

  bool rank(std::string_view body, const Grant& grant, Response& response, const Ticket& ticket);
  bool rank_named(const RankRequest& request, const Model& model, const Grant& grant,
                  Response& response, const Ticket& ticket);
  std::shared_ptr<QueryEntry> find_query(std::int64_t model, std::string_view query);
  std::shared_ptr<QueryEntry> known_query(std::int64_t model, std::string_view query);
  StoreReader::OwnId own_id_before(const Model& model, const RankRequest& request);
  NewImpression rank_new(const RankRequest& request, const Model& model, std::string& answer);
  enum class Recorded { kNow, kLater, kDropped };
  Recorded record(NewImpression impression, bool durable, const Grant& grant,
                  const Response& response, const Ticket& ticket);
  void answer_when_stored(std::int64_t model, std::string id, std::string hash, const Grant& grant,
                          const Ticket& ticket);
  bool feedback(const Request& request, const Grant& grant, Response& response,
                const Ticket& ticket);
  void list_models(const Grant& grant, std::string& out);
  bool put_model(const std::string& name, const Request& request, const Grant& grant,
                 const Ticket& ticket);
  void list_queries(const Model& model, std::string_view query, std::string& out);
  void get_query(const Model& model, const std::string& query, std::string& out);
  bool erase(const Route& route, const Request& request, const Grant& grant, const Ticket& ticket);
  Impression find_impression(const std::string& id, const Request& request, const Grant& grant);
  void get_impression(const Impression& impression, std::string& out);
  bool import(const Request& request, const Grant& grant, const Ticket& ticket);
  void start_export(Response& response);
  void health(Call call, const RequestHead& head, Response& response);
  const Keys& current_keys();
  std::string told_to_caller(const RequestHead& head, const Reason& why);

  std::shared_ptr<const Model> find_model(std::string_view name, const Grant& grant);
  void take_models();
  bool knows(std::string_view model);
  Service* service_;
  Askers* askers_;
  std::shared_ptr<StoreReader> store_;
  bool store_failed_ = false;                      // in the present request
  Asking asking_ = Asking::kHere;                  // of the present request
  std::chrono::steady_clock::time_point since_{};  // when it came
  LearnerRoom learners_;
  BodyParser bodies_;
  Rng rng_;
  std::shared_ptr<const ModelList> models_;
  std::uint64_t models_version_ = 0;
  std::shared_ptr<const Keys> keys_;
  std::uint64_t keys_version_ = 0;
  Ranking ranking_;
  std::vector<Item> would_show_;  // instead of the caller's order, of a model in the shadow
  std::array<prometheus::Counter*, static_cast<std::size_t>(Call::kCount)> ok_{};
};

/// Turns an error into an answer, and counts it.
void refuse(Metrics& metrics, const ApiError& error, Response& response);

/// Work for the writer, of whoever has this grant: `prepare` here and now, `work` in a transaction,
/// and the answer where both succeed. Errors become answers, too. Any thread.
/// `since`: when the caller began to wait, where that is to have an end. `note`, where there is
/// one, is called before the answer, also where nobody knows whether the work was done.
struct Submitted {
  std::function<void()> prepare;
  std::function<void(Teacher&)> work;
  std::function<Response()> answer;
  std::function<void(Journal::Done)> note{};
  std::optional<std::chrono::steady_clock::time_point> since{};
};
void submit(Service& service, Call call, const Grant& grant, const Ticket& ticket,
            Submitted submitted);

/// The value of a parameter of a query string, decoded; empty where it is not there.
std::string parameter(std::string_view query, std::string_view name);

ApiError unknown_model(std::string_view name);

/// Throws ApiError where the key is for another one.
void check_model_of_key(std::string_view name, const Grant& grant);

/// What the queries of the model have in common.
std::span<const double> shared_of(const Model& model);

}  // namespace dcmrank::service

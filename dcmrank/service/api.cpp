#include "dcmrank/service/api.h"

#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/http/json_writer.h"
#include "dcmrank/service/foreign_pages.h"
#include "dcmrank/service/openapi.h"
#include "dcmrank/service/transfer.h"

namespace dcmrank::service {

void check_model_of_key(std::string_view name, const Grant& grant) {
  if (grant.model.empty() || grant.model == name) return;
  throw ApiError{403, "wrong_model", "the key is for another model", "model"};
}

namespace {

void refuse_key_of_one_model(const Grant& grant) {
  if (grant.model.empty()) return;
  throw ApiError{403, "wrong_scope", "this call needs a key for all models"};
}

}  // namespace

Api::Api(Service& service, Askers* askers)
    : service_(&service),
      askers_(askers),
      store_(service.store().reader()),
      bodies_(service.options().limits),
      rng_(process_secret()),
      models_(service.models().get()),
      models_version_(service.models().version()) {}

// From here on the store is asked.
void Api::may_ask() const {
  if (asking_ == Asking::kElsewhere) throw MustAsk();
  if (asking_ == Asking::kNot) throw StorageError("the database does not answer in time");
}

StoreReader& Api::store() const {
  may_ask();
  return *store_;
}

Handler Api::handler(Service& service, Askers* askers) {
  const auto api = std::make_shared<Api>(service, askers);
  return {[api](const Request& request, Response& response, const Ticket& ticket) {
            return api->handle(request, response, ticket);
          },
          [api](const RequestHead& head) { return api->body_limit(head); }};
}

Askers::Answer Api::asker(Service& service) {
  return [api = std::make_shared<Api>(service)](const Ask& ask, bool silent) {
    return api->answer(ask, silent);
  };
}

const Keys& Api::current_keys() {
  if (service_->keys().version() != keys_version_) {
    keys_version_ = service_->keys().version();
    keys_ = service_->keys().get();
  }
  return *keys_;
}

// Without keys there is no network, and whoever asks runs the service.
std::string Api::told_to_caller(const RequestHead& head, const Reason& why) {
  Grant nobody{.scopes = 0};
  try {
    nobody = current_keys().grant(head);
  } catch (const ApiError&) {  // then it has none
  }
  return told_to(nobody, why);
}

Grant Api::grant_of(const Route& route, const RequestHead& head) {
  if (is_public(route.call)) return {};
  const Keys& keys = current_keys();
  if (!keys.needed()) refuse_foreign_pages(head, !service_->options().tls_certificate.empty());
  Grant grant = keys.grant(head);
  if (!is_allowed(route.call, grant)) {
    throw ApiError{.status = 403,
                   .code = "wrong_scope",
                   .message = "the key does not allow this call",
                   .caller = grant.name};
  }
  return grant;
}

void Api::admit(const Route& route, const RequestHead& head) {
  Grant grant;
  try {
    grant = grant_of(route, head);
    // Whoever watches a service that is too busy for its callers is let in all the same.
    if (!is_public(route.call) && route.call != Call::kMetrics) service_->rates().count(grant);
  } catch (ApiError& error) {
    error.call = to_text(route.call);
    if (error.caller.empty()) error.caller = grant.name;
    count(route.call, error.status);
    throw;
  }
}

std::size_t Api::body_limit(const RequestHead& head) {
  const Limits& limits = service_->options().limits;
  const Route route = find_route(head.method, head.path);
  admit(route, head);
  if (route.call == Call::kImport) return limits.import_body;
  constexpr std::size_t kNoBody = 4096;  // is ignored
  return head.method == "POST" || head.method == "PUT" ? limits.body : kNoBody;
}

void Api::count(Call call, int status) {
  if (status != 200) return service_->metrics().answers(to_text(call), status).Increment();
  auto& counter = ok_.at(static_cast<std::size_t>(call));
  if (counter == nullptr) counter = &service_->metrics().answers(to_text(call), status);
  counter->Increment();
}

void refuse(Metrics& metrics, const ApiError& error, Response& response) {
  metrics.refused(error.code);
  response = error_response(error);
}

// The one place where what goes wrong becomes an answer.
template <class Work>
static void guarded(Metrics& metrics, const Grant& grant, Response& response, Work work) {
  try {
    work();
  } catch (const Api::MustAsk&) {
    throw;
  } catch (const ApiError& error) {
    refuse(metrics, error, response);
  } catch (const InputError& error) {
    refuse(metrics, {400, "bad_input", error.what()}, response);
  } catch (const UnsureError& error) {
    refuse(metrics, {503, "unsure", told_to(grant, error.reason())}, response);
  } catch (const StorageError& error) {
    refuse(metrics, {503, "storage", told_to(grant, error.reason())}, response);
  } catch (const PolicyFault& fault) {
    refuse(metrics, {500, "policy_failed", fault.what()}, response);
  } catch (const std::exception& error) {
    refuse(metrics, {500, "internal", error.what()}, response);
  } catch (...) {
    refuse(metrics, {500, "internal", "something was thrown that is no std::exception"}, response);
  }
}

// Whoever serves does not wait for a store that is far away: the request is answered elsewhere, or,
// where that store stands still, without it.
bool Api::handle(const Request& request, Response& response, const Ticket& ticket) {
  since_ = std::chrono::steady_clock::now();
  asking_ = askers_ == nullptr ? Asking::kHere : Asking::kElsewhere;
  try {
    return answer(request, response, ticket);
  } catch (const MustAsk&) {
    response.body.clear();
  }
  const bool is_quick = request.head.method == "POST";
  if (askers_->offer({KeptRequest(request), ticket, since_, is_quick})) return false;
  asking_ = Asking::kNot;
  return answer(request, response, ticket);
}

// Whether the store did not fail.
bool Api::answer(const Ask& ask, bool silent) {
  store_failed_ = false;
  since_ = ask.since;
  asking_ = silent ? Asking::kNot : Asking::kHere;
  Response response;
  if (answer(ask.request.request(), response, ask.ticket)) ask.ticket.answer(std::move(response));
  return !store_failed_;
}

bool Api::answer(const Request& request, Response& response, const Ticket& ticket) {
  Route route;
  Grant grant{.scopes = 0};
  bool now = true;
  bool must_ask = false;
  Metrics& metrics = service_->metrics();
  guarded(metrics, grant, response, [&] {
    take_models();
    route = find_route(request.head.method, request.head.path);
    grant = grant_of(route, request.head);
    check_parameters(route.call, request.head.query);
    try {
      now = call(route, grant, request, response, ticket);
    } catch (const MustAsk&) {
      must_ask = true;
    } catch (const StorageError&) {
      store_failed_ = true;
      throw;
    }
  });
  // What a ticket answers later, whoever does, is logged by these.
  response.call = to_text(route.call);
  if (!grant.name.empty()) response.caller = std::move(grant.name);
  if (must_ask) throw MustAsk();
  if (now && route.call != Call::kCount) count(route.call, response.status);
  return now;
}

bool Api::call(const Route& route, const Grant& grant, const Request& request, Response& response,
               const Ticket& ticket) {
  std::string& out = response.body;
  switch (route.call) {
    case Call::kRank:
      return rank(request.body, grant, response, ticket);
    case Call::kFeedback:
      return feedback(request, grant, response, ticket);
    case Call::kListModels:
      list_models(grant, out);
      return true;
    case Call::kGetModel:
      append_model(out, *find_model(route.parts[0], grant));
      return true;
    case Call::kPutModel:
      check_model_of_key(route.parts[0], grant);
      return put_model(route.parts[0], request, grant, ticket);
    case Call::kListQueries:
      list_queries(*find_model(route.parts[0], grant), request.head.query, out);
      return true;
    case Call::kGetQuery:
      get_query(*find_model(route.parts[0], grant), route.parts[1], out);
      return true;
    case Call::kEraseQuery:
    case Call::kEraseItem:
    case Call::kEraseModel:
    case Call::kEraseImpression:
      return erase(route, request, grant, ticket);
    case Call::kGetImpression:
      get_impression(find_impression(route.parts[0], request, grant), out);
      return true;
    case Call::kMetrics:
      refuse_key_of_one_model(grant);
      health(route.call, request.head, response);
      return true;
    case Call::kImport:
      return import(request, grant, ticket);
    case Call::kExport:
      refuse_key_of_one_model(grant);
      may_ask();
      start_export(response);
      // HEAD gets no more than a head, and HTTP/1.0 a refusal (505).
      if (request.head.method == "GET" && !request.head.old) {
        service_->journal().audit("export", grant.name, request.head.request_id);
      }
      return true;
    default:
      health(route.call, request.head, response);
      return true;
  }
}

void Api::health(Call call, const RequestHead& head, Response& response) {
  if (call == Call::kMetrics) {
    if (asking_ != Asking::kNot) {
      may_ask();
      service_->measure();
    }
    response.content_type = "text/plain; version=0.0.4";
    response.body = service_->metrics().text();
    return;
  }
  if (call == Call::kOpenapi) {
    response.body = openapi_document();
    return;
  }
  const Reason trouble = call == Call::kReady ? service_->trouble() : Reason();
  if (trouble.empty()) {
    response.body = fmt::format(R"({{"status":"ok","version":"{}"}})", program_version());
    return;
  }
  const std::string why = told_to_caller(head, trouble);
  response = error_response({503, "storage", "feedback cannot be stored: " + why});
}

ApiError unknown_model(std::string_view name) {
  return {404, "unknown_model",
          fmt::format("there is no model {}: PUT /v1/models/{{model}} creates one", quote(name)),
          "model"};
}

std::shared_ptr<const Model> Api::find_model(std::string_view name, const Grant& grant) {
  check_model_of_key(name, grant);
  if (!knows(name)) throw unknown_model(name);
  return models_->by_name.find(name)->second;
}

void Api::take_models() {
  if (service_->models().version() == models_version_) return;
  models_version_ = service_->models().version();
  models_ = service_->models().get();
}

// Another server may just have made it.
bool Api::knows(std::string_view model) {
  if (models_->by_name.contains(model)) return true;
  if (service_->store().is_shared()) may_ask();
  service_->look_for_models();
  take_models();
  return models_->by_name.contains(model);
}

void submit(Service& service, Call call, const Grant& grant, const Ticket& ticket,
            Submitted submitted) {
  Metrics& metrics = service.metrics();
  const auto done = [&metrics, call, grant, ticket, answer = std::move(submitted.answer),
                     note = std::move(submitted.note)](const std::exception_ptr& thrown) {
    Response response;
    guarded(metrics, grant, response, [&] {
      try {
        if (thrown) std::rethrow_exception(thrown);
      } catch (const UnsureError&) {
        if (note) note(Journal::Done::kUnknown);
        throw;
      }
      if (note) note(Journal::Done::kYes);
      response = answer();
    });
    metrics.answers(to_text(call), response.status).Increment();
    response.call = to_text(call);
    ticket.answer(std::move(response));
  };
  try {
    submitted.prepare();
    if (!service.writer().offer(Job{std::move(submitted.work), done, submitted.since})) {
      throw ApiError{503, "busy", "too many changes are waiting, or the service stops; try again"};
    }
  } catch (...) {
    done(std::current_exception());
  }
}

}  // namespace dcmrank::service

// The calls that look at what was learned, and change who learns.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/http/json_writer.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/service/api.h"
#include "dcmrank/service/transfer.h"

namespace dcmrank::service {
namespace {

void append_list(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (const std::string& text : texts) {
    if (out.back() != '[') out += ',';
    append_text(out, text);
  }
  out += ']';
}

Model changed(const Model& model, const ModelRequest& request) {
  Model result = model;
  if (request.policy) set_policy(result, *request.policy);
  if (request.k) result.k = *request.k;
  if (request.close_after) result.close_after = *request.close_after;
  if (request.shadow) result.shadow = *request.shadow;
  check_model(result);
  return result;
}

const char* to_text(ImpressionState state) {
  switch (state) {
    case ImpressionState::kOpen:
      return "open";
    case ImpressionState::kClosed:
      return "closed";
    case ImpressionState::kTimedOut:
      return "timed_out";
  }
  return "";
}

}  // namespace

void append_model(std::string& out, const Model& model) {
  out += R"({"model":)";
  append_text(out, model.name);
  out += R"(,"policy":)";
  append_text(out, model.said);
  out += R"(,"learns_by":)";
  append_text(out, model.policy.text);
  out += R"(,"k":)";
  append_number(out, std::uint64_t{model.k});
  out += R"(,"close_after":)";
  append_text(out, print_duration(model.closes_after));
  out += R"(,"close_after_of":)";
  append_text(out, model.close_after == kAsTheService ? kOfTheService : kOfTheModel);
  out += model.shadow ? R"(,"mode":"shadow")" : R"(,"mode":"online")";
  if (model.learned_anew != 0) {
    out += R"(,"learned_anew":)";
    append_number(out, static_cast<std::uint64_t>(model.learned_anew));
  }
  out += '}';
}

std::string parameter(std::string_view query, std::string_view name) {
  for (const std::string_view pair : split(query, '&')) {
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name || equals == std::string_view::npos) continue;
    auto value = percent_decode(pair.substr(equals + 1));
    if (!value || !is_utf8(*value)) {
      throw ApiError{400, "bad_parameter", "a parameter is not percent-encoded UTF-8",
                     std::string(name)};
    }
    return *value;
  }
  return "";
}

void Api::list_models(const Grant& grant, std::string& out) {
  out += R"({"models":[)";
  for (const auto& [name, model] : models_->by_name) {
    if (!grant.model.empty() && grant.model != name) continue;
    if (out.back() != '[') out += ',';
    append_model(out, *model);
  }
  out += "]}";
}

bool Api::put_model(const std::string& name, const Request& request, const Grant& grant,
                    const Ticket& ticket) {
  if (name.size() > service_->options().limits.id) {
    throw ApiError{400, "bad_field", "the name of the model is too long", "model"};
  }
  const ModelRequest wanted = bodies_.model(request.body);
  const auto result = std::make_shared<Model>();
  const auto work = [name, wanted, result, service = service_](Teacher& teacher) {
    Model model;
    set_policy(model, "recommended");
    const auto& models = teacher.hold_models().by_name;
    const auto at = models.find(name);
    if (at != models.end()) model = *at->second;
    model.name = name;
    *result = service->as_here(changed(model, wanted));
    if (model.id != 0 && result->family != model.family && teacher.store().has_learned(model.id)) {
      throw ApiError{409, "other_counts",
                     fmt::format("{} keeps different numbers from {}, which this model learned "
                                 "with; create another model",
                                 result->policy.name, model.policy.name),
                     "policy"};
    }
    result->kept = result->family.name;
    teacher.store().put(*result);
    if (model.id != 0 && result->closes_after != model.closes_after) {
      teacher.store().reschedule(model.id, result->closes_after);
    }
  };
  const auto note = [name, service = service_, by = grant.name,
                     id = std::string(request.head.request_id)](Journal::Done done) {
    service->journal().audit("put_model", by, id, done).with("subject", hash_for_log(name));
  };
  const auto answer = [result, service = service_] {
    service->reload_models();
    Response response;
    append_model(response.body, *result);
    return response;
  };
  submit(*service_, Call::kPutModel, grant, ticket, {[] {}, work, answer, note});
  return false;
}

// `model`: in which one it was looked for; nothing: in any.
static ApiError unknown_impression(const std::optional<std::string>& model) {
  return {404, "unknown_impression",
          model ? fmt::format("there is no such impression in model {}; a name after ?model= says "
                              "which model is meant",
                              quote(*model))
                : "there is no such impression",
          "impression"};
}

// The model that the request means by this id; nothing: any.
static std::optional<std::string> model_of_impression(const std::string& id, const Request& request,
                                                      const Grant& grant) {
  std::string named = parameter(request.head.query, "model");
  if (named.empty() && grant.model.empty() && parse_made_id(id)) return std::nullopt;
  return std::string(meant_model(named, grant.model));
}

Impression Api::find_impression(const std::string& id, const Request& request, const Grant& grant) {
  const auto model = model_of_impression(id, request, grant);
  auto impression = store().find(model ? find_model(*model, grant)->id : 0, id);
  if (!impression || !models_->by_id.contains(impression->model)) {
    throw unknown_impression(model);
  }
  return std::move(*impression);
}

// Which model has the name is looked up where it is erased: another server may have made it anew.
static std::int64_t id_of(Teacher& teacher, const std::string& model) {
  const auto known = teacher.model(model);
  if (!known) throw unknown_model(model);
  return known->id;
}

// Answers when nothing of it is to be found by any call; the store is wiped right after that.
bool Api::erase(const Route& route, const Request& request, const Grant& grant,
                const Ticket& ticket) {
  std::function<void(Teacher&)> work;
  const std::uint64_t until = service_->numbers().last();  // what is being ranked now, too
  if (route.call == Call::kEraseImpression) {
    const auto model = model_of_impression(route.parts[0], request, grant);
    if (model) check_model_of_key(*model, grant);
    work = [model, id = route.parts[0], until](Teacher& teacher) {
      using Erased = Teacher::Erased;
      switch (teacher.erase_impression(model ? id_of(teacher, *model) : 0, id, until)) {
        case Erased::kYes:
          return;
        case Erased::kUnknown:
          throw unknown_impression(model);
        case Erased::kOnItsWay:
          throw ApiError{503, "busy", "the list is being stored by another server; try again"};
      }
    };
  } else {
    const std::string& model = route.parts[0];
    check_model_of_key(model, grant);
    if (route.call == Call::kEraseModel) {
      work = [model](Teacher& teacher) {
        teacher.hold_models();
        teacher.erase_model(id_of(teacher, model));
      };
    } else if (route.call == Call::kEraseQuery) {
      work = [model, query = route.parts[1], until](Teacher& teacher) {
        if (teacher.erase_query({id_of(teacher, model), query}, until)) return;
        throw ApiError{404, "unknown_query", "nothing is known about this query", "query"};
      };
    } else {
      work = [model, query = route.parts[1], item = route.parts[2], until](Teacher& teacher) {
        if (teacher.erase_item({id_of(teacher, model), query}, item, until)) return;
        throw ApiError{404, "unknown_item", "nothing is known about this item", "item"};
      };
    }
  }
  std::string subject = route.parts.front();
  for (std::size_t n = 1; n < route.parts.size(); ++n) subject += '/' + route.parts[n];
  const auto note = [service = service_, call = route.call, subject, by = grant.name,
                     id = std::string(request.head.request_id)](Journal::Done done) {
    service->journal().audit(to_text(call), by, id, done).with("subject", hash_for_log(subject));
    service->wipe();
  };
  const auto answer = [service = service_, call = route.call] {
    if (call == Call::kEraseModel) service->reload_models();
    Response response;
    response.body = R"({"erased":true})";
    return response;
  };
  submit(*service_, route.call, grant, ticket, {[] {}, work, answer, note});
  return false;
}

void Api::get_impression(const Impression& impression, std::string& out) {
  const Page& page = impression.page;
  const RowFamily family = models_->by_id.at(impression.model)->family;
  out += R"({"impression":)";
  append_text(out, impression_id(impression));
  out += R"(,"model":)";
  append_text(out, models_->by_id.at(impression.model)->name);
  out += R"(,"query":)";
  append_text(out, impression.query);
  out += R"(,"state":)";
  append_text(out, to_text(impression.state));
  out += R"(,"made":)";
  append_number(out, static_cast<std::uint64_t>(impression.made));
  out += R"(,"items":)";
  append_list(out, page.items);
  std::vector<std::string> clicked;
  for (std::size_t k = 0; k < page.items.size(); ++k) {
    if (impression.clicks[k] != 0 && !page.items[k].empty()) clicked.push_back(page.items[k]);
  }
  out += R"(,"clicks":)";
  append_list(out, clicked);
  if (impression.seen) {
    out += R"(,"seen":)";
    append_number(out, std::uint64_t{*impression.seen});
  }
  out += R"(,"contributed":[)";
  for (std::size_t k = 0; k < impression.contribution.items.size(); ++k) {
    const auto& row = impression.contribution.items[k];
    const Counts added = family.only_counts ? counts_in(family, row)
                                            : Counts{from_fixed(row[0]), from_fixed(row[1])};
    if (out.back() != '[') out += ',';
    out += R"({"id":)";
    append_text(out, page.items[k]);
    out += R"(,"observed":)";
    append_number(out, added.observed);
    out += R"(,"attracted":)";
    append_number(out, added.attracted);
    out += '}';
  }
  out += "]}";
}

}  // namespace dcmrank::service

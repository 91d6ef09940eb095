// Export and import.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/http/json_writer.h"
#include "dcmrank/ledger/possible.h"
#include "dcmrank/service/api.h"
#include "dcmrank/service/transfer.h"

namespace dcmrank::service {
namespace {

// The models that the import needs, made where they are not there. Nobody else makes or erases one
// meanwhile where that is so.
std::map<std::string, Model, std::less<>> ready_models(Teacher& teacher, const ImportBatch& batch) {
  std::map<std::string, Model, std::less<>> result;
  const bool all_there = std::ranges::all_of(batch.models, [&](const auto& entry) {
    return teacher.models().by_name.contains(entry.model.name);
  });
  if (!all_there) teacher.hold_models();
  for (const auto& [name, model] : teacher.models().by_name) result.emplace(name, *model);
  for (auto [model, line] : batch.models) {
    const auto at = result.find(model.name);
    if (at == result.end()) {
      model.kept = model.family.name;
      model.id = teacher.store().put(model);
      result.emplace(model.name, model);
    } else if (at->second.family != model.family) {
      const bool is_empty = !teacher.store().has_learned(at->second.id);
      throw ApiError{409, "other_counts",
                     fmt::format("line {}: model {}: {} keeps different numbers from {}{}", line,
                                 quote(model.name), model.policy.name, at->second.policy.name,
                                 is_empty ? "; it has learned nothing yet: a PUT may give it "
                                            "the policy of the export"
                                          : "")};
    }
  }
  return result;
}

// The rows of an export are those of its models; a fitted model can be rows of two kinds.
const Teacher::Import& rows_for(const Model& model, const ImportBatch::Query& query) {
  if (query.looks && model.family.only_counts) return *query.looks;
  if (query.looks && model.family != DcmRows::kFamily) {
    throw ApiError{409, "other_counts",
                   fmt::format("a fitted model does not count for {}", model.policy.name)};
  }
  return query.sums;
}

void import_query(Teacher& teacher, const std::map<std::string, Model, std::less<>>& models,
                  const ImportBatch::Query& query) {
  const auto refuse = [&](const ApiError& error) {
    throw ApiError{error.status, error.code, place_of(query) + error.message, error.field};
  };
  const auto at = models.find(query.model);
  if (at == models.end()) refuse(unknown_model(query.model));
  const Teacher::Import& sums = rows_for(at->second, query);
  const std::string fault = fault_of(sums.delta, at->second.family);
  if (!fault.empty()) refuse({400, "bad_import", fault});
  if (!teacher.import(at->second, sums)) {
    refuse({400, "bad_import",
            fmt::format("rounds, added to those stored, are above {}", kMostRounds)});
  }
}

// `only`: what the key is for; empty: all.
void check_models(const ImportBatch& batch, const std::string& only) {
  const auto is_other = [&](const std::string& model) { return !only.empty() && model != only; };
  const bool wrong = std::any_of(batch.models.begin(), batch.models.end(),
                                 [&](const auto& entry) { return is_other(entry.model.name); }) ||
                     std::any_of(batch.queries.begin(), batch.queries.end(),
                                 [&](const auto& query) { return is_other(query.model); });
  if (wrong) throw ApiError{403, "wrong_model", "the key is for another model", "model"};
}

std::set<std::string> models_of(const ImportBatch& batch) {
  std::set<std::string> names;
  for (const auto& entry : batch.models) names.insert(entry.model.name);
  for (const auto& query : batch.queries) names.insert(query.model);
  return names;
}

// The caller has named the model, and an export names its own.
void check_named(const ImportBatch& batch, const std::string& named) {
  for (const std::string& model : models_of(batch)) {
    if (named.empty() || model == named) continue;
    throw ApiError{
        400, "bad_parameter",
        fmt::format("the export is of the model {}: an export says itself what belongs to "
                    "which model; the parameter is for model files of dcmrank fit",
                    quote(model)),
        "model"};
  }
}

std::string answer_to(const ImportBatch& batch) {
  std::string out = R"({"imported":)";
  append_number(out, std::uint64_t{batch.queries.size()});
  out += R"(,"models":[)";
  for (const std::string& model : models_of(batch)) {
    if (out.back() != '[') out += ',';
    append_text(out, model);
  }
  out += ']';
  if (batch.of_fit) {
    out += R"(,"unidentified":)";
    append_number(out, std::uint64_t{batch.unidentified});
  }
  return out + '}';
}

}  // namespace

// The thread that serves hands out the pieces. Where it asks the store itself, it does so by its
// one connection: SQLite closes none that an export had of its own as long as others have locks.
void Api::start_export(Response& response) {
  std::vector<Model> models;
  for (const auto& [name, model] : models_->by_name) models.push_back(*model);
  const auto exporter = std::make_shared<Exporter>(
      service_->store().is_shared() ? service_->store().reader() : store_, std::move(models));
  // Before the head is sent: where nothing can be read, the answer is an error.
  std::string first;
  const bool more = exporter->more(first);
  response.content_type = "application/x-ndjson";
  response.more = [exporter, first = std::move(first), more](std::string& out) mutable {
    if (first.empty()) return exporter->more(out);
    out += std::exchange(first, {});
    return more;
  };
}

bool Api::import(const Request& request, const Grant& grant, const Ticket& ticket) {
  const std::string named = parameter(request.head.query, "model");
  const std::string model(meant_model(named, grant.model));
  Service* service = service_;
  const auto share = std::make_shared<BudgetShare>(service_->imports());
  if (!share->reach(request.body.size())) {
    throw ApiError{503, "busy", "another import is in progress; try again"};
  }
  // Reading a large body takes longer than others can wait for this thread.
  service_->background([service, ticket, named, model, share, body = std::string(request.body),
                        grant, id = std::string(request.head.request_id)] {
    const auto batch = std::make_shared<ImportBatch>();
    const auto parse = [&] {
      *batch = parse_import(body, model, service->options().limits);
      check_models(*batch, grant.model);
      check_named(*batch, named);
    };
    const auto work = [batch](Teacher& teacher) {
      teacher.store().together();
      teacher.follow_models();
      const auto models = ready_models(teacher, *batch);
      std::vector<QueryKey> keys;
      for (const auto& query : batch->queries) {
        const auto at = models.find(query.model);
        if (at != models.end()) keys.push_back({at->second.id, query.sums.query});
      }
      teacher.expect_imports(std::move(keys));
      for (const auto& query : batch->queries) import_query(teacher, models, query);
    };
    const auto note = [service, batch, by = grant.name, id](Journal::Done done) {
      service->journal()
          .audit("import", by, id, done)
          .with("queries", std::uint64_t{batch->queries.size()});
    };
    const auto answer = [service, batch] {
      service->reload_models();
      Response response;
      response.body = answer_to(*batch);
      return response;
    };
    submit(*service, Call::kImport, grant, ticket, {parse, work, answer, note});
  });
  return false;
}

}  // namespace dcmrank::service

// Export and import.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/http/json_writer.h"
#include "dcmrank/ledger/possible.h"
#include "dcmrank/service/api.h"
#include "dcmrank/service/transfer.h"

namespace dcmrank::service {
namespace {

// The models that the import needs, made where they are not there.
std::map<std::string, Model, std::less<>> ready_models(Teacher& teacher, const Service& service,
                                                       const ImportBatch& batch) {
  std::map<std::string, Model, std::less<>> result;
  const auto models = service.models().get();
  for (const auto& [name, model] : models->by_name) result.emplace(name, *model);
  for (auto [model, line] : batch.models) {
    const auto at = result.find(model.name);
    if (at == result.end()) {
      model.kept = model.family.name;
      model.id = teacher.store().put(model);
      result.emplace(model.name, model);
    } else if (at->second.family != model.family) {
      throw ApiError{409, "other_counts",
                     fmt::format("line {}: model {}: {} keeps different numbers from {}", line,
                                 quote(model.name), model.policy.name, at->second.policy.name)};
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

}  // namespace

void Api::start_export(Response& response) {
  std::vector<Model> models;
  for (const auto& [name, model] : models_->by_name) models.push_back(*model);
  const auto exporter = std::make_shared<Exporter>(service_->store().reader(), std::move(models));
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
  const std::string model(meant_model(parameter(request.head.query, "model"), grant.model));
  Service* service = service_;
  const auto share = std::make_shared<BudgetShare>(service_->imports());
  if (!share->reach(request.body.size())) {
    throw ApiError{503, "busy", "another import is in progress; try again"};
  }
  // Reading a large body takes longer than others can wait for this thread.
  service_->background([service, ticket, model, share, body = std::string(request.body), grant,
                        id = std::string(request.head.request_id)] {
    const auto batch = std::make_shared<ImportBatch>();
    const auto parse = [&] {
      *batch = parse_import(body, model, service->options().limits);
      check_models(*batch, grant.model);
    };
    const auto work = [service, batch](Teacher& teacher) {
      teacher.store().together();
      const auto models = ready_models(teacher, *service, *batch);
      std::vector<QueryKey> keys;
      for (const auto& query : batch->queries) {
        const auto at = models.find(query.model);
        if (at != models.end()) keys.push_back({at->second.id, query.sums.query});
      }
      teacher.expect_imports(std::move(keys));
      for (const auto& query : batch->queries) import_query(teacher, models, query);
    };
    const auto answer = [service, batch, by = grant.name, id] {
      service->reload_models();
      service->journal()
          .audit("import", by, id)
          .with("queries", std::uint64_t{batch->queries.size()});
      Response response;
      response.body = R"({"imported":)";
      append_number(response.body, std::uint64_t{batch->queries.size()});
      response.body += '}';
      return response;
    };
    submit(*service, Call::kImport, grant, ticket, parse, work, answer);
  });
  return false;
}

}  // namespace dcmrank::service

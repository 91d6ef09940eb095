#include "dcmrank/service/route.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"

namespace dcmrank::service {
namespace {

struct Entry {
  Call call;
  std::string_view method;
  std::string_view path;  // '*' stands for a part that varies
  const char* name;
  std::string_view parameters{};  // of the query string, with spaces between them
};

constexpr std::array kEntries{
    Entry{Call::kRank, "POST", "/v1/rank", "rank"},
    Entry{Call::kFeedback, "POST", "/v1/feedback", "feedback"},
    Entry{Call::kListModels, "GET", "/v1/models", "list_models"},
    Entry{Call::kGetModel, "GET", "/v1/models/*", "get_model"},
    Entry{Call::kPutModel, "PUT", "/v1/models/*", "put_model"},
    Entry{Call::kListQueries, "GET", "/v1/models/*/queries", "list_queries", "after limit"},
    Entry{Call::kGetQuery, "GET", "/v1/models/*/queries/*", "get_query"},
    Entry{Call::kEraseQuery, "DELETE", "/v1/models/*/queries/*", "erase_query"},
    Entry{Call::kEraseItem, "DELETE", "/v1/models/*/queries/*/items/*", "erase_item"},
    Entry{Call::kGetImpression, "GET", "/v1/impressions/*", "get_impression", "model"},
    Entry{Call::kEraseModel, "DELETE", "/v1/models/*", "erase_model"},
    Entry{Call::kEraseImpression, "DELETE", "/v1/impressions/*", "erase_impression", "model"},
    Entry{Call::kExport, "GET", "/v1/export", "export"},
    Entry{Call::kImport, "POST", "/v1/import", "import", "model"},
    Entry{Call::kHealth, "GET", "/healthz", "health"},
    Entry{Call::kReady, "GET", "/readyz", "ready"},
    Entry{Call::kMetrics, "GET", "/metrics", "metrics"},
    Entry{Call::kOpenapi, "GET", "/openapi.json", "openapi"}};

const Entry& entry_of(Call call) {
  return *std::find_if(kEntries.begin(), kEntries.end(),
                       [&](const Entry& entry) { return entry.call == call; });
}

// Whether some call has such a parameter.
bool another_has(std::string_view name) {
  return std::any_of(kEntries.begin(), kEntries.end(), [&](const Entry& entry) {
    const auto names = split(entry.parameters, ' ');
    return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
  });
}

bool matches(std::string_view pattern, std::string_view path,
             std::vector<std::string_view>& parts) {
  parts.clear();
  while (true) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == path;
    if (path.substr(0, star) != pattern.substr(0, star)) return false;
    path.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end == 0) return false;
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
}

}  // namespace

Route find_route(std::string_view method, std::string_view path) {
  if (method == "HEAD") method = "GET";
  std::vector<std::string_view> parts;
  std::string allowed;
  for (const Entry& entry : kEntries) {
    if (!matches(entry.path, path, parts)) continue;
    if (entry.method != method) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(entry.method);
      if (entry.method == "GET") allowed += ", HEAD";
      continue;
    }
    Route route{entry.call};
    for (const std::string_view part : parts) {
      auto text = percent_decode(part);
      if (!text || text->empty() || !is_utf8(*text)) {
        throw ApiError{400, "bad_path", "a part of the path is not percent-encoded UTF-8"};
      }
      route.parts.push_back(std::move(*text));
    }
    return route;
  }
  if (!allowed.empty()) {
    throw ApiError{405, "wrong_method", "this path has no such method", "", allowed};
  }
  throw ApiError{404, "not_found",
                 "there is nothing at this path; GET /openapi.json lists all calls"};
}

void check_parameters(Call call, std::string_view query) {
  if (query.empty()) return;
  const auto refuse = [](std::string_view name, const std::string& message) {
    throw ApiError{400, "bad_parameter", message, std::string(name)};
  };
  const std::string_view known = entry_of(call).parameters;
  std::vector<std::string> names;
  for (const std::string_view name : split(known, ' ')) {
    if (!name.empty()) names.emplace_back(name);
  }
  std::set<std::string_view> seen;
  for (const std::string_view pair : split(query, '&')) {
    const std::string_view name = pair.substr(0, pair.find('='));
    if (pair.empty()) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string meant = suggestion(name, names);
      if (meant.empty() && !another_has(name)) continue;
      refuse(name, fmt::format("there is no parameter {}{}; this call has {}", quote(name), meant,
                               names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (!seen.insert(name).second) refuse(name, fmt::format("{} is given twice", name));
    const bool may_be_empty = name == "after";  // the first page
    if (pair.size() <= name.size() + (may_be_empty ? 0 : 1)) {
      refuse(name, fmt::format("{} has no value", name));
    }
  }
}

const char* to_text(Call call) { return call == Call::kCount ? "none" : entry_of(call).name; }

bool is_public(Call call) {
  return call == Call::kHealth || call == Call::kReady || call == Call::kOpenapi;
}

bool is_allowed(Call call, const Grant& grant) {
  const auto has = [&](Scope scope) { return (grant.scopes & static_cast<unsigned>(scope)) != 0; };
  if (call == Call::kRank) return has(Scope::kRank);
  if (call == Call::kFeedback) return has(Scope::kFeedback);
  return has(Scope::kAdmin) || (call == Call::kMetrics && has(Scope::kMetrics));
}

}  // namespace dcmrank::service

#include "dcmrank/service/route.h"

#include <array>

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
};

constexpr std::array kEntries{
    Entry{Call::kRank, "POST", "/v1/rank", "rank"},
    Entry{Call::kFeedback, "POST", "/v1/feedback", "feedback"},
    Entry{Call::kListModels, "GET", "/v1/models", "list_models"},
    Entry{Call::kGetModel, "GET", "/v1/models/*", "get_model"},
    Entry{Call::kPutModel, "PUT", "/v1/models/*", "put_model"},
    Entry{Call::kListQueries, "GET", "/v1/models/*/queries", "list_queries"},
    Entry{Call::kGetQuery, "GET", "/v1/models/*/queries/*", "get_query"},
    Entry{Call::kEraseQuery, "DELETE", "/v1/models/*/queries/*", "erase_query"},
    Entry{Call::kEraseItem, "DELETE", "/v1/models/*/queries/*/items/*", "erase_item"},
    Entry{Call::kGetImpression, "GET", "/v1/impressions/*", "get_impression"},
    Entry{Call::kEraseModel, "DELETE", "/v1/models/*", "erase_model"},
    Entry{Call::kEraseImpression, "DELETE", "/v1/impressions/*", "erase_impression"},
    Entry{Call::kExport, "GET", "/v1/export", "export"},
    Entry{Call::kImport, "POST", "/v1/import", "import"},
    Entry{Call::kHealth, "GET", "/healthz", "health"},
    Entry{Call::kReady, "GET", "/readyz", "ready"},
    Entry{Call::kMetrics, "GET", "/metrics", "metrics"},
    Entry{Call::kOpenapi, "GET", "/openapi.json", "openapi"}};

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
  throw ApiError{404, "not_found", "there is nothing at this path"};
}

const char* to_text(Call call) {
  for (const Entry& entry : kEntries) {
    if (entry.call == call) return entry.name;
  }
  return "none";
}

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

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/http/message.h"
#include "dcmrank/service/keys.h"

namespace dcmrank::service {

enum class Call : std::uint8_t {
  kRank,
  kFeedback,
  kListModels,
  kGetModel,
  kPutModel,
  kListQueries,
  kGetQuery,
  kEraseQuery,
  kEraseItem,
  kEraseModel,
  kGetImpression,
  kEraseImpression,
  kExport,
  kImport,
  kHealth,
  kReady,
  kMetrics,
  kOpenapi,
  kCount,
};

/// What a request asks for: the call, and the parts of the path that vary, decoded.
struct Route {
  Call call = Call::kCount;
  std::vector<std::string> parts{};
};

/// Throws ApiError: 404 where there is nothing at this path, 405 if it has another method.
Route find_route(std::string_view method, std::string_view path);

/// The query string has only parameters that the call has, each with its value. Throws ApiError
/// (400), with the nearest right word: what nobody reads would silently not be done.
void check_parameters(Call call, std::string_view query);

/// As metrics name it.
const char* to_text(Call call);

/// Whether a call can be made without a key though the service has keys.
bool is_public(Call call);
bool is_allowed(Call call, const Grant& grant);

}  // namespace dcmrank::service

#include "dcmrank/reproduce/query_dcms.h"

#include <filesystem>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/fit/statistics.h"
#include "dcmrank/model_file/model_file.h"

namespace dcmrank {
namespace {

// A query whose lists have one position, or one item, ranks nothing.
bool usable(const FittedQuery& query) {
  return query.items.size() >= 2 && find_list(query.lists, "termination").values.size() >= 2;
}

}  // namespace

QueryDcms most_frequent(const Statistics& statistics, std::size_t most) {
  const FittedModel model = fit(kDcmModel, make_sample(statistics, {}), FitOptions{});
  QueryDcms result;
  for (const FittedQuery& query : model.queries) {
    if (result.queries.size() == most) break;
    if (!usable(query)) continue;
    result.queries.push_back({query.query, static_cast<std::uint64_t>(query.impressions),
                              dcm_of(model, query.query, "the log")});
  }
  if (result.queries.empty()) {
    throw InputError("the log has no query with two items at two positions to rank");
  }
  return result;
}

QueryDcms read_queries(const Log& log, const std::string& path, std::size_t most,
                       const std::stop_token& stop) {
  ReadOptions options;
  options.control.stop = stop;
  const LogStatistics read = collect(log, options, Needs{});
  require_impressions(read.report);
  QueryDcms result = most_frequent(read.statistics, most);
  result.source =
      fmt::format("{} ({} impressions)", std::filesystem::path(path).filename().string(),
                  read.report.impressions);
  return result;
}

}  // namespace dcmrank

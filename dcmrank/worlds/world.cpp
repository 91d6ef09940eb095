#include "dcmrank/worlds/world.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/model_file/seldom_shown.h"

namespace dcmrank {

World world_of_file(const std::string& spec) {
  Problem problem = [&] {
    try {
      return read_problem(spec);
    } catch (const InputError& error) {
      const std::string why = error.what();
      if (why.find("--query") == std::string::npos) throw;
      throw InputError(fmt::format("--world {} is a model: give it with --model", quote(spec)));
    }
  }();
  if (spec.starts_with("lb:")) return {spec, "given", std::move(problem)};
  return {std::filesystem::path(spec).stem().string(), "file", std::move(problem)};
}

std::vector<World> worlds_of_model(const std::string& path, std::size_t top,
                                   std::uint64_t min_shown) {
  FittedModel model = read_model(path);
  std::vector<const FittedQuery*> queries;
  for (const FittedQuery& query : model.queries) {
    if (query.items.size() < 2 || !has_enough_shown(model, query, min_shown, path)) continue;
    queries.push_back(&query);
  }
  if (queries.empty()) {
    throw InputError(
        min_shown == 0
            ? fmt::format("--model {}: no query with two items", quote(path))
            : fmt::format("--model {}: no query has as many items that were shown {} times "
                          "(min-shown) as positions",
                          quote(path), min_shown));
  }
  std::stable_sort(queries.begin(), queries.end(), [](const FittedQuery* a, const FittedQuery* b) {
    return a->impressions > b->impressions;
  });
  queries.resize(std::min(queries.size(), top));
  std::vector<World> worlds;
  worlds.reserve(queries.size());
  for (const FittedQuery* query : queries) {
    worlds.push_back({fmt::format("query {}", query->query), "model",
                      problem_of_query(model, query->query, path, min_shown)});
  }
  return worlds;
}

std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string one = name;
    for (int n = 2; !taken.insert(one).second; ++n) one = fmt::format("{} ({})", name, n);
    result.push_back(std::move(one));
  }
  return result;
}

void make_names_differ(std::vector<World>& worlds) {
  const auto names = distinct(names_of(worlds, &World::name));
  for (std::size_t w = 0; w < worlds.size(); ++w) worlds[w].name = names[w];
}

}  // namespace dcmrank

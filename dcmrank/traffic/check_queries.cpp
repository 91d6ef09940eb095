#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/policy/dcm_rows.h"
#include "dcmrank/traffic/checker.h"

namespace dcmrank::traffic {
namespace {

using nlohmann::json;
using service::Fixed;

Fixed fixed_of(const json& number) {
  return number.is_string() ? service::parse_fixed(number.get<std::string>()).value_or(0)
                            : Fixed{number.get<std::int64_t>()};
}

class QueryChecker {
 public:
  QueryChecker(const Scene& scene, const Recount& recount, std::size_t number, const Fold& fold,
               Disagreements& disagreements)
      : query_(&scene.query(number)),
        name_(scene.query_name(number)),
        recount_(recount),
        fold_(&fold),
        disagreements_(&disagreements) {}

  const std::string& name() const { return name_; }

  /// As `GET /v1/models/{m}/queries/{q}` shows it: of each item T and S as an estimate takes them.
  void check_shown(const Scene& scene, std::size_t number, const json& shown) {
    differ("rounds", shown.at("rounds"), fold_->rounds);
    if (!recount_.sums) return;
    std::vector<Counts> counts(query_->items.size());
    for (const json& item : shown.at("items")) {
      counts[scene.item(number, item.at("id").get_ref<const std::string&>())] = {
          item.at("observed").get<double>(), item.at("attracted").get<double>()};
    }
    for (Item e = 0; e < counts.size(); ++e) {
      const service::Row& row = fold_->contributed[e];
      const std::vector<double> numbers{service::from_fixed(row[0]), service::from_fixed(row[1]), 0,
                                        0};
      const Counts expected =
          recount_.contexts ? Counts{numbers[0], numbers[1]} : DcmRows::counts_in(numbers);
      differ("observed", query_->items[e], counts[e].observed, expected.observed);
      differ("attracted", query_->items[e], counts[e].attracted, expected.attracted);
    }
  }

  /// As the export has it: to the last bit, with the clicks of each position.
  void check_exported(const json& exported) {
    differ("rounds exported", exported.at("rounds"), fold_->rounds);
    if (!recount_.sums) return;
    const json& items = exported.at("items");
    if (recount_.contexts) return check_cells(items);
    for (Item e = 0; e < query_->items.size(); ++e) {
      const auto at = items.find(query_->items[e]);
      const auto number = [&](std::size_t n) {
        return at == items.end() || at->size() <= n ? Fixed{0} : fixed_of(at->at(n));
      };
      differ("observed exported", query_->items[e], number(0), fold_->contributed[e][0]);
      differ("attracted exported", query_->items[e], number(1), fold_->contributed[e][1]);
    }
    const json& positions = exported.at("positions");
    for (std::size_t k = 0; k < fold_->clicked.size(); ++k) {
      const auto number = [&](std::size_t n) {
        const bool there = k < positions.size() && n < positions[k].size();
        return there ? fixed_of(positions[k][n]) : Fixed{0};
      };
      const Fixed clicked = service::to_fixed(fold_->clicked[k]);
      differ("clicked exported at position", std::to_string(k + 1), number(0), clicked);
      if (recount_.bounded && (number(1) < 0 || number(1) > clicked)) {
        disagreements_->add(fmt::format("{}: terminated at position {} is {} of {} clicks", name_,
                                        k + 1, service::from_fixed(number(1)), fold_->clicked[k]));
      }
    }
  }

  /// Every number of every row.
  void check_cells(const json& items) {
    for (Item e = 0; e < query_->items.size(); ++e) {
      service::Row row;
      if (const auto at = items.find(query_->items[e]); at != items.end()) {
        for (std::size_t n = 0; n < at->size(); ++n) row.append(n, fixed_of(at->at(n)));
      }
      const service::Row& expected = fold_->cells[e];
      for (std::size_t n = 0; n < std::max(row.size(), expected.size()); ++n) {
        differ("exported, by its users, number", fmt::format("{} of {}", n, query_->items[e]),
               row[n], expected[n]);
      }
    }
  }

  /// Where the clicks alone tell what is learned: the contributions are what the users did.
  void check_counted() {
    if (!recount_.counting && !recount_.contexts) return;
    for (Item e = 0; e < query_->items.size(); ++e) {
      const service::Row& row = fold_->contributed[e];
      const Counts& counted = fold_->counted[e];
      differ("observed, by its users,", query_->items[e], row[0],
             service::to_fixed(counted.observed));
      differ("attracted, by its users,", query_->items[e], row[1],
             service::to_fixed(counted.attracted));
    }
  }

 private:
  template <class T>
  void differ(const char* what, const std::string& of, const T& is, const T& expected) {
    if (is == expected) return;
    disagreements_->add(fmt::format("{}: {} {} is {}, not {}", name_, what, of, is, expected));
  }
  void differ(const char* what, const json& is, std::uint64_t expected) {
    if (is == expected) return;
    disagreements_->add(fmt::format("{}: {} is {}, not {}", name_, what, is.dump(), expected));
  }

  const Query* query_;
  std::string name_;
  Recount recount_;
  const Fold* fold_;
  Disagreements* disagreements_;
};

}  // namespace

void check_queries(const Scene& scene, const Recount& recount, const std::vector<Fold>& folds,
                   Client& client, Disagreements& disagreements) {
  const TrafficOptions& options = scene.options();
  std::map<std::string, QueryChecker, std::less<>> expected;
  for (std::size_t n = 0; n < folds.size(); ++n) {
    if (folds[n].rounds == 0) continue;
    QueryChecker checker(scene, recount, n, folds[n], disagreements);
    checker.check_counted();
    const Answer answer =
        client
            .call(Call::kOther, "GET",
                  fmt::format("/v1/models/{}/queries/{}", percent_encode(options.model),
                              percent_encode(checker.name())))
            .answer;
    if (answer.status == 404) {
      disagreements.add(fmt::format("nothing was learned about {}", checker.name()));
    } else {
      checker.check_shown(scene, n, json::parse(answer.body));
    }
    const std::string name = checker.name();
    expected.emplace(name, std::move(checker));
  }
  std::istringstream lines(client.call(Call::kOther, "GET", "/v1/export").answer.body);
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = json::parse(line);
    if (!parsed.contains("query") || parsed.at("model") != options.model) continue;
    const auto at = expected.find(parsed.at("query").get<std::string>());
    if (at == expected.end()) continue;
    at->second.check_exported(parsed);
    expected.erase(at);
  }
  for (const auto& [name, checker] : expected) {
    disagreements.add(fmt::format("{} is not exported", name));
  }
}

}  // namespace dcmrank::traffic

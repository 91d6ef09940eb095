#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/attraction_interval.h"
#include "dcmrank/inspection/inspection.h"
#include "dcmrank/model_file/list_json.h"
#include "dcmrank/prediction/parameters.h"

namespace dcmrank::command {
namespace {

// Only what the log tells.
Series curve(const std::string& label, const FittedList& list) {
  Series series{label, {}, {}, {}};
  for (std::size_t k = 1; k <= list.values.size(); ++k) {
    const auto& unknown = list.unidentified;
    if (std::find(unknown.begin(), unknown.end(), k) != unknown.end()) continue;
    series.x.push_back(static_cast<double>(k));
    series.y.push_back(list.values[k - 1]);
  }
  return series;
}

std::string called(const FittedQuery& query) {
  return fmt::format("{} ({})", query.query,
                     how_many(static_cast<std::uint64_t>(query.impressions), "impression"));
}

// What is drawn of a model: its first list that goes by position; none where it has no such list.
const ListParameter* drawn_list(const ClickModel& kind) {
  for (const ListParameter& list : kind.lists) {
    if (list.shape != ListShape::kNumbers) return &list;
  }
  return nullptr;
}

// Of a model without probabilities by position: the attractions of the items of its first query,
// those shown most often, with intervals of 95 % where they have them.
Figure attraction_figure(const Shown& shown, std::size_t items) {
  if (shown.model->queries.empty()) throw InputError("--plot: the model has no query");
  const FittedQuery& query = shown.model->queries.front();
  Figure figure{fmt::format("Attraction of the items of query {}", called(query)),
                "item",
                "attraction, 95 % interval",
                Axes::kLinear,
                {}};
  Series points{"", {}, {}, {}, Style::kPoints};
  bool has_intervals = false;
  for (const FittedItem& item : most_shown(query, items)) {
    figure.categories.push_back(item.item);
    points.x.push_back(static_cast<double>(figure.categories.size()));
    points.y.push_back(item.attraction);
    const auto interval = attraction_interval(*shown.model, item);
    points.error.push_back(interval ? interval->high - item.attraction : 0);
    points.below.push_back(interval ? item.attraction - interval->low : 0);
    has_intervals = has_intervals || interval.has_value();
  }
  if (!has_intervals) figure.y_label = "attraction";
  figure.series.push_back(std::move(points));
  return figure;
}

constexpr std::size_t kMostDistances = 5;

// How many positions a triangle has.
std::size_t positions_of(const FittedList& triangle) {
  std::size_t k = 0;
  for (std::size_t end = 0; end + k + 1 <= triangle.values.size(); end += k) ++k;
  return k;
}

// Of a triangle: a curve without a click above, and one for each of the nearest places of the last.
void add_triangle(const FittedList& list, std::vector<Series>& curves) {
  const auto add = [&](const std::string& label, std::size_t distance) {
    Series series{label, {}, {}, {}};
    std::size_t end = 0;  // of the row
    for (std::size_t k = 1; end + k <= list.values.size(); ++k) {
      const std::size_t n = end + (distance == 0 ? k : distance);  // counted from 1
      end += k;
      if (distance >= k) continue;
      if (std::find(list.unidentified.begin(), list.unidentified.end(), n) !=
          list.unidentified.end()) {
        continue;
      }
      series.x.push_back(static_cast<double>(k));
      series.y.push_back(list.values[n - 1]);
    }
    if (!series.x.empty()) curves.push_back(std::move(series));
  };
  add("no click above", 0);
  for (std::size_t d = 1; d <= kMostDistances; ++d) add(fmt::format("last click {} above", d), d);
}

}  // namespace

Figure inspection_figure(const Shown& shown, std::size_t items) {
  const ListParameter* list = drawn_list(*shown.kind);
  if (list == nullptr) return attraction_figure(shown, items);
  const ListParameter& drawn = *list;
  const std::string& name = drawn.name;
  std::string title = name + " by position";
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  Figure figure{title, "position", name + " probability", Axes::kLinear, {}};
  const FittedList& shared = find_list(shown.model->lists, name);
  if (drawn.shape == ListShape::kTriangle) {
    add_triangle(shared, figure.series);
    const std::size_t positions = positions_of(shared);
    if (positions > kMostDistances + 1) {
      figure.title +=
          fmt::format(" (last clicks more than {} positions above are not drawn)", kMostDistances);
    }
    return figure;
  }
  if (!shared.values.empty()) {
    figure.series.push_back(curve("all queries", shared));
    return figure;
  }
  for (const FittedQuery& query : shown.model->queries) {
    figure.series.push_back(curve(called(query), find_list(query.lists, name)));
  }
  return figure;
}

std::string undrawn_note(const Shown& shown) {
  const ListParameter* drawn = drawn_list(*shown.kind);
  if (drawn == nullptr) return {};
  const auto told = [&](const FittedList& list) {
    return named_entries_text(*drawn, list.unidentified, list.values.size());
  };
  std::vector<std::string> texts;
  const FittedList& shared = find_list(shown.model->lists, drawn->name);
  if (!shared.values.empty()) {
    if (!shared.unidentified.empty()) texts.push_back(told(shared));
  } else {
    std::map<std::string, std::vector<std::string>> queries;  // by what they lack
    for (const FittedQuery& query : shown.model->queries) {
      const FittedList& list = find_list(query.lists, drawn->name);
      if (!list.unidentified.empty()) queries[told(list)].push_back(query.query);
    }
    for (const auto& [what, of] : queries) {
      texts.push_back(fmt::format(
          "{} ({})", what,
          of.size() == 1 ? "query " + of.front() : how_many(of.size(), "query", "queries")));
    }
  }
  if (texts.empty()) return {};
  constexpr std::size_t kMostNamed = 3;
  const bool cut = texts.size() > kMostNamed;
  if (cut) texts.resize(kMostNamed);
  return fmt::format("not in the picture, because the log does not tell it: {}{}",
                     fmt::join(texts, ", "), cut ? ", ..." : "");
}

}  // namespace dcmrank::command

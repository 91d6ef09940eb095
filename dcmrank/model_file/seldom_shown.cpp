#include "dcmrank/model_file/seldom_shown.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/click_model.h"

namespace dcmrank {
namespace {

// One that is shown less is called a guess.
constexpr std::uint64_t kSeldom = 20;

bool is_seldom(const FittedItem& item, std::uint64_t least) {
  return item.impressions < static_cast<double>(least);
}

std::size_t remaining(const FittedQuery& query, std::uint64_t least) {
  return static_cast<std::size_t>(
      std::count_if(query.items.begin(), query.items.end(),
                    [&](const FittedItem& item) { return !is_seldom(item, least); }));
}

// As many as a list has positions; a single item is nothing to rank.
bool is_enough(const FittedModel& model, const FittedQuery& query, std::uint64_t least) {
  const std::size_t needed =
      std::max(positions_of(model, query), std::min<std::size_t>(2, query.items.size()));
  return remaining(query, least) >= needed;
}

// A problem that was made a model, or a model that somebody wrote, may have none.
bool has_counts(const FittedQuery& query) {
  return std::any_of(query.items.begin(), query.items.end(),
                     [](const FittedItem& item) { return item.impressions > 0; });
}

}  // namespace

std::size_t positions_of(const FittedModel& model, const FittedQuery& query) {
  std::size_t longest = model.positions;
  for (const ListParameter& list : click_model(model.model, "\"model\"").lists) {
    const auto& own = find_list(query.lists, list.name).values;
    if (list.shape == ListShape::kPositions && !own.empty()) longest = own.size();
  }
  return std::min(longest, query.items.size());
}

bool has_enough_shown(const FittedModel& model, const FittedQuery& query, std::uint64_t least,
                      const std::string& source) {
  if (least == 0) return true;
  if (!has_counts(query)) {
    throw InputError(fmt::format(
        "{}, query {}: min-shown needs counts, and the model does not say how often its items "
        "were shown",
        source, quote(query.query)));
  }
  return is_enough(model, query, least);
}

std::string leave_out_seldom(const FittedModel& model, FittedQuery& query, std::uint64_t least,
                             const std::string& source) {
  const std::size_t all = query.items.size();
  const std::size_t kept = remaining(query, least);
  if (!has_enough_shown(model, query, least, source)) {
    throw InputError(
        fmt::format("{}, query {}: min-shown {} leaves {} of {}: too few for {} of a list", source,
                    quote(query.query), least, kept, how_many(all, "item"),
                    how_many(positions_of(model, query), "position")));
  }
  if (kept == all) return "";
  std::erase_if(query.items, [&](const FittedItem& item) { return is_seldom(item, least); });
  return fmt::format("{} of {} items, shown fewer than {} times, are left out", all - kept, all,
                     least);
}

std::string leave_out_seldom(FittedModel& model, std::uint64_t least, const std::string& source) {
  if (least == 0) return "";
  const std::size_t queries = model.queries.size();
  std::erase_if(model.queries, [&](const FittedQuery& query) {
    return !has_enough_shown(model, query, least, source);
  });
  if (model.queries.empty()) {
    throw InputError(fmt::format(
        "{}: min-shown {} leaves no query as many items as a list has positions", source, least));
  }
  std::size_t all = 0;
  std::size_t kept = 0;
  for (FittedQuery& query : model.queries) {
    all += query.items.size();
    leave_out_seldom(model, query, least, source);
    kept += query.items.size();
  }
  const std::size_t gone = queries - model.queries.size();
  if (kept == all && gone == 0) return "";
  std::string note = fmt::format("{}: {} of {} items, shown fewer than {} times, are left out",
                                 source, all - kept, all, least);
  if (gone > 0) {
    note +=
        fmt::format("; so are {} of {} queries, of which fewer items than positions would be left",
                    gone, queries);
  }
  return note;
}

std::string seldom_note(const FittedModel& model, const FittedQuery& query) {
  const std::size_t all = query.items.size();
  const auto seldom = std::count_if(
      query.items.begin(), query.items.end(),
      [](const FittedItem& item) { return item.impressions > 0 && is_seldom(item, kSeldom); });
  if (seldom == 0) return "";
  std::string note =
      fmt::format("{} of {} items were shown fewer than {} times: their attractions are guesses",
                  seldom, all, kSeldom);
  if (is_enough(model, query, kSeldom)) {
    note += fmt::format("; --min-shown {} leaves them out", kSeldom);
  }
  return note;
}

}  // namespace dcmrank

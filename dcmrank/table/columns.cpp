#include "dcmrank/table/columns.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

constexpr std::array<std::string_view, kRoles> kRoleNames{"query",    "items",   "clicks",
                                                          "position", "session", "page"};

using Words = std::vector<std::string_view>;

// Usual names, without case, spaces and marks; the likeliest first.
const Words& usual_names(Role role) {
  static const std::array<Words, kRoles> kNames{
      Words{"query", "queryid", "querytext", "searchquery", "searchterm", "searchterms", "search",
            "keyword", "keywords", "q", "qid", "term", "request"},
      Words{"items", "itemids", "docs", "docids", "documents", "documentids", "results",
            "resultids", "urls", "urlids", "products", "productids", "shown", "list", "ranking",
            "candidates"},
      Words{"clicks", "clicked", "click", "isclicked", "isclick", "wasclicked", "clickflag",
            "clickeditems", "clickeddocs", "clickedids", "clickedurls", "clickedresults"},
      Words{"position", "pos", "rank"},
      Words{"session", "sessionid", "sid", "userid", "user"},
      Words{"page", "pageid", "impression", "impressionid", "serpid", "searchid", "requestid",
            "listid", "serp"}};
  return kNames[static_cast<std::size_t>(role)];
}

const Words kNamesOfOneItem{"item",       "itemid",    "doc",      "docid", "document",
                            "documentid", "result",    "resultid", "url",   "urlid",
                            "product",    "productid", "sku"};

// The list that was shown, where no column is better for it; else which one it was.
const Words kNamesOfAList{"serp"};

// In an array of objects what the others are about.
const Words kNamesOfAnId{"id", "key", "name"};

bool is_one_of(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Small letters and digits alone.
std::string plain(std::string_view name) {
  std::string word;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') word += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) word += c;
  }
  return word;
}

// "results[].doc_id": what stands after the last dot.
std::string_view last_of_path(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::string_view without_number(std::string_view word) {
  while (!word.empty() && word.back() >= '0' && word.back() <= '9') word.remove_suffix(1);
  return word;
}

std::optional<unsigned long long> number_at_end(std::string_view name) {
  return parse_unsigned(name.substr(without_number(name).size()));
}

std::string listed(std::span<const TableColumn> table) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> names;
  for (const TableColumn& column : table.first(std::min(table.size(), kMost))) {
    names.push_back(quote(column.name));
  }
  return fmt::format("{}{}", fmt::join(names, ", "), table.size() > kMost ? ", ..." : "");
}

// All whose names begin so and end in a number, by that number.
std::vector<std::size_t> numbered(std::span<const TableColumn> table, std::string_view begin) {
  std::vector<std::pair<unsigned long long, std::size_t>> found;
  for (std::size_t c = 0; c < table.size(); ++c) {
    const std::string_view name = table[c].name;
    if (!name.starts_with(begin)) continue;
    const auto number = parse_unsigned(name.substr(begin.size()));
    if (number) found.emplace_back(*number, c);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::size_t> places;
  places.reserve(found.size());
  for (const auto& [number, place] : found) places.push_back(place);
  return places;
}

std::vector<std::size_t> named_places(std::span<const TableColumn> table, Role role,
                                      const std::string& name) {
  for (std::size_t c = 0; c < table.size(); ++c) {
    if (table[c].name == name) return {c};
  }
  if (name.ends_with('*')) {
    auto places = numbered(table, std::string_view(name).substr(0, name.size() - 1));
    if (!places.empty()) return places;
  }
  const auto names = names_of(table, &TableColumn::name);
  throw InputError(fmt::format("--columns: there is no column {} for {}{}; the columns are {}",
                               quote(name), role_name(role), suggestion(name, names),
                               listed(table)));
}

class UsualColumns {
 public:
  explicit UsualColumns(std::span<const TableColumn> table) : table_(table) {
    for (const TableColumn& column : table) {
      words_.push_back(plain(last_of_path(column.name)));
    }
  }

  std::vector<std::size_t> find(const Words& names) const {
    for (const std::string_view name : names) {
      for (std::size_t c = 0; c < words_.size(); ++c) {
        if (words_[c] == name) return {c};
      }
    }
    return {};
  }

  // item_1, item_2, ...: at least two of them.
  std::vector<std::size_t> find_numbered(const Words& names) const {
    for (std::size_t c = 0; c < words_.size(); ++c) {
      const std::string_view name = table_[c].name;
      if (!number_at_end(name) || !is_one_of(names, without_number(words_[c]))) continue;
      auto places = numbered(table_, without_number(name));
      if (places.size() > 1) return places;
    }
    return {};
  }

  // The ids in an array of objects: results[].id.
  std::vector<std::size_t> find_ids() const {
    for (std::size_t c = 0; c < words_.size(); ++c) {
      if (table_[c].list && is_one_of(kNamesOfAnId, words_[c])) return {c};
    }
    return {};
  }

 private:
  std::span<const TableColumn> table_;
  std::vector<std::string> words_;
};

void find_items(const UsualColumns& usual, ColumnPlaces& places) {
  auto& items = places.of[static_cast<std::size_t>(Role::kItems)];
  items = usual.find(usual_names(Role::kItems));
  if (items.empty()) {
    items = usual.find(kNamesOfOneItem);
    places.row_an_item = !items.empty();
  }
  if (items.empty()) items = usual.find_numbered(kNamesOfOneItem);
  if (items.empty()) items = usual.find_ids();
  if (items.empty()) items = usual.find(kNamesOfAList);
}

std::optional<ColumnPlaces> try_columns(std::span<const TableColumn> table, const Columns& named,
                                        Role& missing) {
  ColumnPlaces places;
  const UsualColumns usual(table);
  places.row_an_item = named.row_an_item();
  for (std::size_t r = 0; r < kRoles; ++r) {
    const Role role = static_cast<Role>(r);
    auto& found = places.of[r];
    if (!named[role].empty()) {
      found = named_places(table, role, named[role]);
    } else if (role == Role::kItems) {
      find_items(usual, places);
    } else {
      found = usual.find(usual_names(role));
      if (found.empty() && role == Role::kClicks) found = usual.find_numbered(usual_names(role));
    }
    // One column is not two things: session and page may have the same usual names as others.
    for (std::size_t other = 0; other < r && !found.empty(); ++other) {
      if (named[role].empty() && places.of[other] == found) found.clear();
    }
    if (role <= Role::kClicks && found.empty()) {
      missing = role;
      return std::nullopt;
    }
  }
  return places;
}

// Which of two columns of one name is meant, nobody says.
void refuse_doubles(std::span<const TableColumn> table, const ColumnPlaces& places) {
  for (std::size_t r = 0; r < kRoles; ++r) {
    for (const std::size_t place : places.of[r]) {
      const std::string& name = table[place].name;
      const auto same = std::count_if(table.begin(), table.end(), [&](const TableColumn& column) {
        return column.name == name;
      });
      if (same > 1) {
        throw InputError(
            fmt::format("{} columns are named {}, which is to hold the {}: rename them", same,
                        quote(name), role_name(static_cast<Role>(r))));
      }
    }
  }
}

}  // namespace

std::string_view role_name(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

bool Columns::empty() const {
  return std::all_of(names_.begin(), names_.end(), [](const auto& name) { return name.empty(); });
}

bool Columns::by_number() const {
  return !empty() && std::all_of(names_.begin(), names_.end(), [](const auto& name) {
    return name.empty() || parse_unsigned(name).value_or(0) > 0;
  });
}

Columns Columns::parse(std::string_view text) {
  Columns columns;
  if (text.empty()) return columns;
  std::vector<std::string> known(kRoleNames.begin(), kRoleNames.end());
  known.insert(known.end(), {"item", "click"});
  for (std::string_view pair : split(text, ',')) {
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    pair = pair.substr(0, pair.find_last_not_of(' ') + 1);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals + 1 == pair.size()) {
      throw InputError(fmt::format(
          "--columns: {} is not ROLE=COLUMN, as in query=q,items=docs,clicks=c", quote(pair)));
    }
    std::string_view role = pair.substr(0, equals);
    if (role == "item") columns.row_an_item_ = true;
    if (role == "item") role = "items";
    if (role == "click") role = "clicks";
    const auto* const at = std::find(kRoleNames.begin(), kRoleNames.end(), role);
    if (at == kRoleNames.end()) throw_unknown("--columns: a role", role, known);
    std::string& name = columns.names_[static_cast<std::size_t>(at - kRoleNames.begin())];
    if (!name.empty()) throw InputError(fmt::format("--columns: {} is given twice", role));
    name = pair.substr(equals + 1);
  }
  return columns;
}

ColumnPlaces find_columns(std::span<const TableColumn> table, const Columns& named) {
  Role missing = Role::kQuery;
  const auto places = try_columns(table, named, missing);
  if (places) {
    refuse_doubles(table, *places);
    return *places;
  }
  throw InputError(
      fmt::format("no column is recognised as {}; the columns are {}: name them, as in --columns "
                  "query=...,items=...,clicks=... or, with one row per item, "
                  "query=...,item=...,click=...,position=...",
                  missing == Role::kQuery ? "the query" : fmt::format("the {}", role_name(missing)),
                  listed(table)));
}

bool has_columns(std::span<const TableColumn> table, const Columns& named) {
  try {
    Role missing = Role::kQuery;
    return try_columns(table, named, missing).has_value();
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace dcmrank

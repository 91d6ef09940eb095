#include "dcmrank/table/table_layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/table/list_cell.h"

namespace dcmrank {

void TableRow::clear() {
  query = position = session = page = {};
  items.clear();
  clicks.clear();
}

std::optional<std::size_t> place_of(const TableRow& row, std::string_view word) {
  const auto place = parse_unsigned(word);
  if (!place || *place == 0 || *place > row.items.size()) return std::nullopt;
  return *place - 1;
}

std::optional<double> position_of(std::string_view text) {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '9') return text[0] - '0';
  return parse_double(text);
}

namespace {

// 0, 1, 0.0, 1.0, words, and nothing at all; other numbers are rather positions.
bool is_flag(std::string_view word) {
  if (word.empty()) return true;
  if (flag_of(word) < 0) return false;
  if (word.ends_with(".0")) word.remove_suffix(2);
  return word == "0" || word == "1" || word[0] > '9';
}

bool are_flags(const TableRow& row) {
  const auto& words = row.clicks;
  return words.size() == row.items.size() && std::all_of(words.begin(), words.end(), is_flag) &&
         std::any_of(words.begin(), words.end(), [](std::string_view w) { return !w.empty(); });
}

bool are_items(const TableRow& row) {
  return std::all_of(row.clicks.begin(), row.clicks.end(), [&](std::string_view id) {
    return std::find(row.items.begin(), row.items.end(), id) != row.items.end();
  });
}

bool are_positions(const TableRow& row) {
  return std::all_of(row.clicks.begin(), row.clicks.end(),
                     [&](std::string_view word) { return place_of(row, word).has_value(); });
}

// What most of the rows can be.
ClicksAs sniff_clicks(const std::vector<TableRow>& rows) {
  const auto flags = std::count_if(rows.begin(), rows.end(), are_flags);
  const auto items = std::count_if(rows.begin(), rows.end(), are_items);
  const auto positions = std::count_if(rows.begin(), rows.end(), are_positions);
  if (flags > items && flags >= positions) return ClicksAs::kFlags;
  if (flags == items && flags > 0) return ClicksAs::kFlags;
  return positions > items ? ClicksAs::kPositions : ClicksAs::kItems;
}

// Where no row with clicks says what they are, none would be counted.
void refuse_unknown_clicks(const std::vector<TableRow>& rows) {
  const TableRow* strange = nullptr;
  for (const TableRow& row : rows) {
    if (row.clicks.empty()) continue;
    const auto known = [&](std::string_view word) {
      return is_flag(word) || place_of(row, word) ||
             std::find(row.items.begin(), row.items.end(), word) != row.items.end();
    };
    if (std::any_of(row.clicks.begin(), row.clicks.end(), known)) return;
    if (strange == nullptr) strange = &row;
  }
  if (strange == nullptr) return;
  throw InputError(
      fmt::format("its clicks, as {}, are neither 0 and 1 (or true and false, yes and no, t and f, "
                  "y and n), nor items of the list, nor their positions",
                  quote(strange->clicks.front())));
}

// Rows of a page that do not stand together would silently be read as several pages.
[[noreturn]] void refuse_scattered(std::string_view what, std::string_view name) {
  throw InputError(
      fmt::format("with one row per item, the rows of a page must stand together, but {} {} comes "
                  "again after another: sort the file by page",
                  what, quote(name)));
}

void refuse_scattered_pages(const std::vector<TableRow>& rows) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::set<Key> pages;
  Key last;
  for (const TableRow& row : rows) {
    const Key key{row.query, row.session, row.page};
    if (!row.page.empty() && !pages.insert(key).second && key != last) {
      refuse_scattered("page", row.page);
    }
    last = key;
  }
}

// Rows of one query and session, one after the other, whose positions rise.
struct Stretch {
  std::tuple<std::string_view, std::string_view> key;
  std::size_t rows;
  double first;
  double last;
};

std::vector<Stretch> stretches(const std::vector<TableRow>& rows) {
  std::vector<Stretch> found;
  for (const TableRow& row : rows) {
    const std::tuple key{row.query, row.session};
    const double position = position_of(row.position).value_or(0);
    if (!found.empty() && found.back().key == key && position > found.back().last) {
      ++found.back().rows;
      found.back().last = position;
    } else {
      found.push_back({key, 1, position, position});
    }
  }
  return found;
}

// Where no column names pages, positions tell: those of a query and session that go on after
// another page, where fewer were shown before than on other pages. (A second page of results goes
// on after a first one that was shown to its end.)
void refuse_interleaved_pages(const std::vector<TableRow>& rows) {
  const auto found = stretches(rows);
  std::size_t longest = 2;
  for (const Stretch& stretch : found) longest = std::max(longest, stretch.rows);
  std::map<std::tuple<std::string_view, std::string_view>, Stretch> before;
  for (const Stretch& stretch : found) {
    const auto earlier = before.find(stretch.key);
    if (earlier != before.end() && stretch.first == earlier->second.last + 1 &&
        earlier->second.rows < longest) {
      const auto& [query, session] = stretch.key;
      refuse_scattered(session.empty() ? "query" : "session", session.empty() ? query : session);
    }
    before.insert_or_assign(stretch.key, stretch);
  }
}

// Where the lists begin whose rows these are: the least position.
double first_position(const std::vector<TableRow>& rows) {
  std::optional<double> least;
  for (const TableRow& row : rows) {
    const auto position = position_of(row.position);
    if (position) least = std::min(*position, least.value_or(*position));
  }
  return least.value_or(1);
}

}  // namespace

TableLayout sniff_layout(const std::vector<TableColumn>& table, const ColumnPlaces& places,
                         const Columns& named, const std::vector<TableRow>& rows) {
  TableLayout layout;
  layout.has_position = places.has(Role::kPosition);
  layout.has_session = places.has(Role::kSession);
  layout.has_page = places.has(Role::kPage);
  layout.first_position = first_position(rows);
  for (std::size_t r = 0; r < kRoles; ++r) {
    if (!places.of[r].empty()) layout.names[r] = table[places.of[r].front()].name;
  }
  const bool lists = table[places[Role::kItems].front()].list ||
                     std::any_of(rows.begin(), rows.end(),
                                 [](const TableRow& row) { return row.items.size() > 1; });
  const bool several = places[Role::kItems].size() > 1;
  layout.row_an_item = !several && (named.row_an_item() || !named[Role::kPosition].empty() ||
                                    ((layout.has_position || places.row_an_item) && !lists));
  if (!layout.row_an_item) {
    if (!named[Role::kPosition].empty()) {
      throw InputError("--columns: position is for one row per item, but here a row has several");
    }
    layout.clicks = places[Role::kClicks].size() > 1 ? ClicksAs::kFlags : sniff_clicks(rows);
    if (places[Role::kClicks].size() == 1) refuse_unknown_clicks(rows);
    const bool single =
        rows.size() > 1 && std::all_of(rows.begin(), rows.end(),
                                       [](const auto& row) { return row.items.size() == 1; });
    if (single && !several) {
      layout.doubt =
          "every list has one item; if a row is an item of a page, say so: --columns "
          "item=...,click=... with position=..., page=... or session=...";
    }
    return layout;
  }
  if (!layout.has_position && !layout.has_page && !layout.has_session) {
    throw InputError(
        "with one row per item, a column must tell pages apart: name it, as in --columns "
        "position=... (or page=..., session=...)");
  }
  if (layout.has_page) {
    refuse_scattered_pages(rows);
  } else if (layout.has_position) {
    refuse_interleaved_pages(rows);
  }
  return layout;
}

std::string describe(const TableLayout& layout, const ColumnPlaces& places,
                     const std::vector<TableColumn>& table) {
  std::string text = layout.row_an_item ? "one row per item: " : "one row per page: ";
  const char* separator = "";
  for (std::size_t r = 0; r < kRoles; ++r) {
    const auto& columns = places.of[r];
    const Role role = static_cast<Role>(r);
    if (columns.empty() || (role == Role::kPosition && !layout.row_an_item)) continue;
    text += fmt::format("{}{}={}", separator, role_name(role), table[columns.front()].name);
    if (columns.size() > 1) text += fmt::format("..{}", table[columns.back()].name);
    if (role == Role::kClicks && !layout.row_an_item) {
      text += layout.clicks == ClicksAs::kFlags   ? " as 0 and 1"
              : layout.clicks == ClicksAs::kItems ? " as items"
                                                  : " as positions";
    }
    separator = ", ";
  }
  return text;
}

}  // namespace dcmrank

#include "dcmrank/table/table_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/page/impression.h"
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
  const auto number = parse_double(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

bool names_page(std::string_view page) {
  if (page.empty()) return false;
  if (page[0] >= '0' && page[0] <= '9') return true;
  constexpr std::array<std::string_view, 7> kNone{"NULL", "null", "None", "NaN",
                                                  "nan",  "<NA>", "\\N"};
  return std::find(kNone.begin(), kNone.end(), page) == kNone.end();
}

bool tells_page(const TableRow& row, const TableLayout& layout) {
  return has_length_of_id(row.query) && (!layout.has_page || names_page(row.page));
}

bool may_be_one_page(std::span<const double> before, std::span<const double> after) {
  if (before.empty() || after.empty()) return false;
  if (before.size() > 1 && before.front() > after.back()) return false;
  while (!before.empty() && !after.empty()) {
    if (before.front() == after.front()) return false;
    std::span<const double>& less = before.front() < after.front() ? before : after;
    less = less.subspan(1);
  }
  return true;
}

bool is_lone(double position, const TableLayout& layout) {
  return position != 0 && position != 1 && position != layout.first_position;
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

// The same of rows that are items. Whoever has a row per event has the event there.
void refuse_unknown_click(const std::vector<TableRow>& rows, const TableLayout& layout) {
  const TableRow* strange = nullptr;
  for (const TableRow& row : rows) {
    if (row.clicks.empty()) continue;
    if (row.clicks.size() > 1 || flag_of(row.clicks.front()) >= 0) return;
    strange = &row;
  }
  if (strange == nullptr) return;
  throw InputError(fmt::format(
      "its clicks, as {}={}, are neither 0 and 1 nor true and false, in none of the first rows; of "
      "a log with one row per event, an impression or a click, make pages first: \"Event logs\" in "
      "docs/formats-logs.md",
      layout.names[static_cast<std::size_t>(Role::kClicks)], quote(strange->clicks.front())));
}

// Rows of a page that do not stand together would silently be read as several pages.
[[noreturn]] void refuse_scattered(std::string_view what, std::string_view name) {
  throw InputError(
      fmt::format("with one row per item, the rows of a page must stand together, but {} {} comes "
                  "again after another: sort the file by page",
                  what, quote(name)));
}

void refuse_scattered_pages(const std::vector<TableRow>& rows, const TableLayout& layout) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::set<Key> pages;
  Key last;
  for (const TableRow& row : rows) {
    if (!tells_page(row, layout)) continue;
    const Key key{row.query, row.session, row.page};
    if (!pages.insert(key).second && key != last) {
      refuse_scattered("page", row.page);
    }
    last = key;
  }
}

void refuse_empty_page_column(const std::vector<TableRow>& rows, const TableLayout& layout) {
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const TableRow& row) { return names_page(row.page); });
  if (rows.empty() || any) return;
  throw InputError(fmt::format(
      "its column {}, which tells pages apart, has no value in any of the first {}: "
      "fill it, or leave the column out",
      quote(layout.names[static_cast<std::size_t>(Role::kPage)]), how_many(rows.size(), "row")));
}

// Rows of one query and session, one after the other, whose positions rise.
struct Stretch {
  std::tuple<std::string_view, std::string_view> key;
  std::vector<double> positions;
  bool is_whole;  // no row before it that cannot be read
};

std::vector<Stretch> stretches(const std::vector<TableRow>& rows) {
  std::vector<Stretch> found;
  bool lost = false;
  for (const TableRow& row : rows) {
    const std::tuple key{row.query, row.session};
    const auto position = position_of(row.position);
    if (!position ||
        !has_length_of_id(row.query)) {  // where the page that it costs begins, the others say
      lost = true;
      continue;
    }
    if (!found.empty() && found.back().key == key && *position > found.back().positions.back()) {
      found.back().positions.push_back(*position);
    } else {
      found.push_back({key, {*position}, !lost});
    }
    lost = false;
  }
  return found;
}

// Where no column names pages, positions tell: those of a query and session that go on after
// another page, where fewer were shown before than on other pages. (A second page of results goes
// on after a first one that was shown to its end.)
void refuse_interleaved_pages(const std::vector<Stretch>& found) {
  std::size_t longest = 2;
  for (const Stretch& stretch : found) longest = std::max(longest, stretch.positions.size());
  std::map<std::tuple<std::string_view, std::string_view>, const Stretch*> before;
  for (const Stretch& stretch : found) {
    const Stretch*& earlier = before[stretch.key];
    if (earlier != nullptr && stretch.is_whole &&
        stretch.positions.front() == earlier->positions.back() + 1 &&
        earlier->positions.size() < longest) {
      const auto& [query, session] = stretch.key;
      refuse_scattered(session.empty() ? "query" : "session", session.empty() ? query : session);
    }
    earlier = &stretch;
  }
}

// Likewise where rows of a page stand together, but not by position: what would be read are pieces
// of it. Few are left to who reads the whole log.
void refuse_falling_positions(const std::vector<Stretch>& found, const TableLayout& layout) {
  constexpr std::size_t kOneIn = 10;  // pieces
  const auto refuse = [](const std::string& why) {
    throw InputError(
        fmt::format("with one row per item, and no column that names its page, positions must rise "
                    "within a page, but {}: {}",
                    why, kSortByPosition));
  };
  std::vector<const Stretch*> falls;
  std::size_t lone = 0;
  for (std::size_t n = 0; n < found.size(); ++n) {
    const auto& positions = found[n].positions;
    if (positions.size() == 1 && is_lone(positions.front(), layout)) ++lone;
    if (n == 0 || found[n].key != found[n - 1].key) continue;
    if (!found[n].is_whole || !found[n - 1].is_whole) continue;
    if (may_be_one_page(found[n - 1].positions, positions)) falls.push_back(&found[n]);
  }
  if (falls.size() * kOneIn > found.size()) {
    const auto& [query, session] = falls.front()->key;
    refuse(fmt::format("those of {} {} fall", session.empty() ? "query" : "session",
                       quote(session.empty() ? query : session)));
  }
  if (are_mostly_lone(lone, found.size())) {
    refuse("most pages would be one item, which is not at the top");
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
  refuse_unknown_click(rows, layout);
  if (layout.has_page) {
    refuse_empty_page_column(rows, layout);
    refuse_scattered_pages(rows, layout);
  } else if (layout.has_position) {
    const auto found = stretches(rows);
    refuse_interleaved_pages(found);
    refuse_falling_positions(found, layout);
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

#include "dcmrank/table/table_pages.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/table/list_cell.h"

namespace dcmrank {
namespace {

std::uint64_t key_of(const TableLayout& layout, std::string_view session) {
  return layout.has_session ? session_key(session) : 0;
}

// Whether a lost row that said so, if anything, may be of a page that says so.
bool may_be(const std::string& said, std::string_view says) { return said.empty() || said == says; }

}  // namespace

bool CamePages::again(std::uint64_t page) {
  if (slots_.empty()) slots_.assign(kMost, 0);
  std::uint64_t& slot = slots_[page % kMost];
  return std::exchange(slot, page) == page;
}

bool TablePages::is_scattered(const TableRow& row) {
  if (!layout_.has_page) return false;
  std::uint64_t key = session_key(row.page);
  for (const std::string_view text : {row.query, row.session}) {
    if (!text.empty()) key = mix64(key + session_key(text));
    key = mix64(key);
  }
  return came_.again(key);
}

void TablePages::add(const TableRow& row, std::string_view text) {
  named_.clear();
  const auto fault = layout_.row_an_item ? add_item(row) : add_page(row);
  if (fault) report_->note(*fault, named_.empty() ? text : std::string_view(named_));
}

void TablePages::finish() {
  flush();
  lost_.reset();
  before_.clear();
  came_ = {};
}

bool TablePages::has_at(double position) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Waiting& waiting) { return waiting.position == position; });
}

// What a row does not say may be the same.
bool TablePages::may_be_of_waiting(const Lost& lost) const {
  if (layout_.has_page && !lost.page.empty()) return lost.page == page_id_;
  if (ended_ || !may_be(lost.query, query_) || !may_be(lost.session, session_)) return false;
  if (!lost.position) return true;
  return layout_.has_page ? !has_at(*lost.position) : *lost.position > waiting_.back().position;
}

// Whether it says that another page of the same query begins.
bool TablePages::ends_waiting(const Lost& lost) const {
  return !layout_.has_page && lost.position && *lost.position <= waiting_.back().position;
}

// Whether the page of which this row came first may have had the lost one before.
bool TablePages::may_lack(const TableRow& first, double position, const Lost& lost) const {
  if (layout_.has_page && !lost.page.empty()) return lost.page == first.page;
  const bool room = !layout_.has_position || position > layout_.first_position;
  if (!room || !may_be(lost.query, first.query) || !may_be(lost.session, first.session)) {
    return false;
  }
  if (!lost.position) return true;
  return layout_.has_page ? *lost.position != position : *lost.position < position;
}

void TablePages::lose(const TableRow& row) {
  if (!layout_.row_an_item) return;
  Lost lost{std::string(row.query), std::string(row.session), {}, std::nullopt};
  if (names_page(row.page)) lost.page = row.page;
  if (layout_.has_position && !row.position.empty()) lost.position = position_of(row.position);
  if (!waiting_.empty() && may_be_of_waiting(lost)) {
    faulty_ = true;
  } else if (!waiting_.empty() && ends_waiting(lost)) {
    flush();
  } else {
    ended_ = true;
  }
  lost_ = std::move(lost);
}

// "click=perhaps".
std::string TablePages::named(Role role, std::string_view value) const {
  return fmt::format("{}={}", layout_.names[static_cast<std::size_t>(role)], value);
}

Skip TablePages::name(Skip fault, Role role, std::string_view value) {
  named_ = named(role, value);
  return fault;
}

std::optional<Skip> TablePages::add_page(const TableRow& row) {
  start_list(row.query);
  for (const std::string_view item : row.items) add_to_list(item);
  if (const auto fault = show_list()) return fault;
  if (const auto fault = click_all(row)) return fault;
  hand_over(key_of(layout_, row.session));
  return std::nullopt;
}

std::optional<Skip> TablePages::click_all(const TableRow& row) {
  if (layout_.clicks == ClicksAs::kFlags && !row.clicks.empty() &&
      row.clicks.size() != row.items.size()) {
    return Skip::kUnfitClicks;
  }
  for (std::size_t n = 0; n < row.clicks.size(); ++n) {
    std::string_view clicked = row.clicks[n];
    if (layout_.clicks == ClicksAs::kFlags) {
      const int flag = flag_of(clicked);
      if (flag < 0) return name(Skip::kNotANumber, Role::kClicks, clicked);
      if (flag == 0) continue;
      clicked = row.items[n];
    } else if (layout_.clicks == ClicksAs::kPositions) {
      const auto place = place_of(row, clicked);
      clicked = place ? row.items[*place] : std::string_view();
    }
    if (const auto fault = page_->click(clicked)) report_->note(*fault, row.clicks[n]);
  }
  return std::nullopt;
}

std::vector<TablePages::Waiting>::const_iterator TablePages::find(std::string_view item) const {
  return std::find_if(waiting_.begin(), waiting_.end(),
                      [&](const Waiting& waiting) { return item_of(waiting) == item; });
}

// A row that came twice, as joins with clicks make them, is one item. Where no column names the
// page, it ends where positions do not go on, or where an item comes again.
TablePages::Belongs TablePages::belongs(const TableRow& row, std::string_view item,
                                        double position) const {
  if (waiting_.empty() || row.query != query_ || row.session != session_ || row.page != page_id_) {
    return Belongs::kToAnother;
  }
  // A row that was lost stood between them, of another page: this one is over, as it is where a
  // file is cut there.
  if (ended_ && !layout_.has_page) return Belongs::kToAnother;
  const double last = waiting_.back().position;
  if (!layout_.has_page && layout_.has_position && position > last) return Belongs::kNext;
  if (layout_.has_page && layout_.has_position && position > highest_) return Belongs::kNext;
  const auto twin = find(item);
  const bool again = twin != waiting_.end();
  if (layout_.has_page) {
    return again && twin->position == position ? Belongs::kAgain : Belongs::kNext;
  }
  if (!layout_.has_position) return again ? Belongs::kToAnother : Belongs::kNext;
  return again && position == last && twin + 1 == waiting_.end() ? Belongs::kAgain
                                                                 : Belongs::kToAnother;
}

std::optional<Skip> TablePages::fault_of_id(Role role, std::string_view id) {
  if (id.empty()) return name(Skip::kEmptyId, role, id);
  return has_length_of_id(id) ? std::nullopt : std::optional(Skip::kLongId);
}

// What keeps a row from being an item of a page, its position aside.
std::optional<Skip> TablePages::fault_of(const TableRow& row) {
  if (row.items.size() != 1) return row.items.empty() ? Skip::kTooFewFields : Skip::kTooManyFields;
  if (const auto fault = fault_of_id(Role::kQuery, row.query)) return fault;
  if (layout_.has_page && !names_page(row.page)) return name(Skip::kEmptyId, Role::kPage, row.page);
  return fault_of_id(Role::kItems, row.items[0]);
}

std::optional<Skip> TablePages::add_item(const TableRow& row) {
  const auto number = layout_.has_position ? position_of(row.position) : 0;
  std::optional<Skip> fault =
      number ? fault_of(row) : name(Skip::kNotANumber, Role::kPosition, row.position);
  if (fault) {
    lose(row);
    return fault;
  }
  const double position = *number;
  const std::string_view item = row.items[0];
  const int flag = row.clicks.empty() ? 0 : flag_of(row.clicks[0]);
  if (row.clicks.size() > 1) {
    fault = Skip::kTooManyFields;
  } else if (flag < 0) {
    fault = name(Skip::kNotANumber, Role::kClicks, row.clicks[0]);
  }
  const Belongs belonging = belongs(row, item, position);
  const bool lacks = lost_ && (belonging != Belongs::kToAnother || may_lack(row, position, *lost_));
  lost_.reset();
  ended_ = false;
  if (belonging == Belongs::kToAnother) {
    const bool follows = row.query == query_ && row.session == session_;
    flush();
    follows_ = follows;
    line_ = report_->lines;
    if (is_scattered(row)) {
      fault = Skip::kScatteredPage;
      named_.clear();
    }
    query_ = row.query;
    session_ = row.session;
    page_id_ = row.page;
  }
  if (belonging == Belongs::kAgain) {
    Waiting& twin = waiting_[static_cast<std::size_t>(find(item) - waiting_.begin())];
    if (flag > 0 && twin.clicked) report_->note(Skip::kRepeatedClick, item);
    twin.clicked = twin.clicked || flag > 0;
  } else if (waiting_.size() <= kMaxPositions) {  // one more says that there are too many
    highest_ = waiting_.empty() ? position : std::max(highest_, position);
    waiting_.push_back({position, text_.size(), item.size(), flag > 0});
    text_ += item;
  }
  // A page without one of its items is another page.
  faulty_ = faulty_ || lacks || fault.has_value();
  return fault;
}

// Puts items in the order of their positions; whether no two are at the same one.
bool TablePages::sort() {
  if (!layout_.has_page || !layout_.has_position) return true;
  const auto rises = [&] {
    return std::adjacent_find(waiting_.begin(), waiting_.end(), [](const auto& a, const auto& b) {
             return a.position >= b.position;
           }) == waiting_.end();
  };
  if (rises()) return true;
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const auto& a, const auto& b) { return a.position < b.position; });
  return rises();
}

bool TablePages::has_gap() const {
  if (!layout_.has_position) return false;
  const double first = waiting_.front().position;
  return (first != 0 && first != 1) ||
         waiting_.back().position - first != static_cast<double>(waiting_.size() - 1);
}

// Where no column names pages: whether rows may stand in another order than positions.
void TablePages::note_order() {
  if (layout_.has_page || !layout_.has_position) return;
  positions_.clear();
  for (const Waiting& waiting : waiting_) positions_.push_back(waiting.position);
  if (follows_ && may_be_one_page(before_, positions_)) {
    report_->note(Skip::kFallingPositions, query_, line_);
  }
  if (positions_.size() == 1 && is_lone(positions_.front(), layout_)) ++report_->lone;
  before_.swap(positions_);
}

std::optional<Skip> TablePages::make_page() {
  start_list(query_);
  for (const Waiting& waiting : waiting_) add_to_list(item_of(waiting));
  if (const auto fault = show_list()) return fault;
  for (const Waiting& waiting : waiting_) {
    if (waiting.clicked) page_->click(item_of(waiting));
  }
  return std::nullopt;
}

void TablePages::start_list(std::string_view query) {
  list_.assign(query);
  ends_.assign(1, list_.size());
}

// Behind a NUL, which no id has.
void TablePages::add_to_list(std::string_view item) {
  list_ += '\0';
  list_ += item;
  ends_.push_back(list_.size());
}

std::optional<Skip> TablePages::show_list() {
  const std::size_t size = list_.size();
  list_.append(kPadding, '\0');
  bool known = false;
  page_ = &pages_.page_of({list_.data(), size}, known);
  if (known) return std::nullopt;
  const std::string_view text = page_->text();
  if (const auto fault = page_->set_query(Id::padded(text.substr(0, ends_[0])))) return fault;
  if (ends_.size() == 1) return Skip::kEmptyId;
  for (std::size_t n = 1; n < ends_.size(); ++n) {
    const std::size_t begin = ends_[n - 1] + 1;
    if (const auto fault = page_->add_padded_item(text.substr(begin, ends_[n] - begin))) {
      return fault;
    }
  }
  return page_->finish_list();
}

void TablePages::flush() {
  bool used = false;
  if (!waiting_.empty() && !faulty_) {
    if (!sort()) {
      report_->note(Skip::kRepeatedPosition, named(Role::kPage, page_id_), line_);
    } else if (const auto fault = make_page()) {
      report_->note(*fault, query_, line_);
    } else {
      if (has_gap()) report_->note(Skip::kPositionGap, query_, line_);
      note_order();
      hand_over(key_of(layout_, session_));
      used = true;
    }
  }
  if (!used) before_.clear();
  waiting_.clear();
  text_.clear();
  faulty_ = false;
  ended_ = false;
}

void TablePages::hand_over(std::uint64_t session) {
  ++report_->impressions;
  report_->clicks += page_->clicks();
  sink_->add(pages_.impression(session));
}

}  // namespace dcmrank

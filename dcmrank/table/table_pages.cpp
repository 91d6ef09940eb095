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
  if (!layout_.has_page || row.page.empty()) return false;
  std::uint64_t key = session_key(row.page);
  for (const std::string_view text : {row.query, row.session}) {
    if (!text.empty()) key = mix64(key + session_key(text));
    key = mix64(key);
  }
  return came_.again(key);
}

void TablePages::add(const TableRow& row, std::string_view text) {
  const auto fault = layout_.row_an_item ? add_item(row) : add_page(row);
  if (!fault) return;
  const bool named = *fault == Skip::kNotANumber && !not_a_number_.empty();
  report_->note(*fault, named ? std::string_view(not_a_number_) : text);
}

void TablePages::finish() {
  flush();
  lost_.reset();
  came_ = {};
}

// What a row does not say may be the same.
bool TablePages::may_be_of_waiting(const Lost& lost) const {
  if (layout_.has_page && !lost.page.empty()) return lost.page == page_id_;
  return may_be(lost.query, query_) && may_be(lost.session, session_) &&
         (layout_.has_page || !lost.position || *lost.position > waiting_.back().position);
}

// Whether it says that another page of the same query begins.
bool TablePages::ends_waiting(const Lost& lost) const {
  return !layout_.has_page && lost.position && *lost.position <= waiting_.back().position;
}

// Whether the page of which this row came first may have had the lost one before.
bool TablePages::may_lack(const TableRow& first, double position, const Lost& lost) const {
  if (layout_.has_page && !lost.page.empty()) return lost.page == first.page;
  const bool room = !layout_.has_position || position > layout_.first_position;
  return room && may_be(lost.query, first.query) && may_be(lost.session, first.session) &&
         (layout_.has_page || !lost.position || *lost.position < position);
}

void TablePages::lose(const TableRow& row) {
  if (!layout_.row_an_item) return;
  Lost lost{std::string(row.query), std::string(row.session), std::string(row.page), std::nullopt};
  if (layout_.has_position && !row.position.empty()) lost.position = position_of(row.position);
  if (!waiting_.empty() && may_be_of_waiting(lost)) {
    faulty_ = true;
  } else if (!waiting_.empty() && ends_waiting(lost)) {
    flush();
  }
  lost_ = std::move(lost);
}

// "click=perhaps".
Skip TablePages::not_a_number(Role role, std::string_view value) {
  not_a_number_ = fmt::format("{}={}", layout_.names[static_cast<std::size_t>(role)], value);
  return Skip::kNotANumber;
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
    return row.clicks.size() < row.items.size() ? Skip::kTooFewFields : Skip::kTooManyFields;
  }
  for (std::size_t n = 0; n < row.clicks.size(); ++n) {
    std::string_view clicked = row.clicks[n];
    if (layout_.clicks == ClicksAs::kFlags) {
      const int flag = flag_of(clicked);
      if (flag < 0) return not_a_number(Role::kClicks, clicked);
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

std::optional<Skip> TablePages::add_item(const TableRow& row) {
  const auto number = layout_.has_position ? position_of(row.position) : 0;
  if (!number || row.items.size() != 1) {
    lose(row);
    if (!number) return not_a_number(Role::kPosition, row.position);
    return row.items.empty() ? Skip::kTooFewFields : Skip::kTooManyFields;
  }
  std::optional<Skip> fault;
  const double position = *number;
  const std::string_view item = row.items[0];
  const int flag = row.clicks.empty() ? 0 : flag_of(row.clicks[0]);
  if (flag < 0) fault = not_a_number(Role::kClicks, row.clicks[0]);
  if (row.clicks.size() > 1) fault = Skip::kTooManyFields;
  const Belongs belonging = belongs(row, item, position);
  const bool lacks = lost_ && (belonging != Belongs::kToAnother || may_lack(row, position, *lost_));
  lost_.reset();
  if (belonging == Belongs::kToAnother) {
    flush();
    line_ = report_->lines;
    if (is_scattered(row)) fault = Skip::kScatteredPage;
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

void TablePages::sort() {
  if (!layout_.has_position) return;
  const auto above = [](const Waiting& a, const Waiting& b) { return a.position < b.position; };
  if (layout_.has_page && !std::is_sorted(waiting_.begin(), waiting_.end(), above)) {
    std::stable_sort(waiting_.begin(), waiting_.end(), above);
  }
  const double first = waiting_.front().position;
  const bool gap = (first != 0 && first != 1) ||
                   waiting_.back().position - first != static_cast<double>(waiting_.size() - 1);
  if (gap) report_->note(Skip::kPositionGap, query_, line_);
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
  if (!waiting_.empty() && !faulty_) {
    sort();
    if (const auto fault = make_page()) {
      report_->note(*fault, query_, line_);
    } else {
      hand_over(key_of(layout_, session_));
    }
  }
  waiting_.clear();
  text_.clear();
  faulty_ = false;
}

void TablePages::hand_over(std::uint64_t session) {
  ++report_->impressions;
  report_->clicks += page_->clicks();
  sink_->add(pages_.impression(session));
}

}  // namespace dcmrank
